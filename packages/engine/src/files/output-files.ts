// Output files of an app. An object whose `path` is in one of the app's own folders is a file: it is uploaded and
// replaced by its URL. The runner has copied permitted files there and rejected the others. Any other `path` is
// ordinary data here, so that no output can make the engine read a file of the host.

import type { FileHandle } from 'node:fs/promises'
import { basename, normalize, sep } from 'node:path'
import { contentTypeOf } from '@millrace/contract/content-types'
import { TaskFailure } from '../failures.ts'
import type { AppFolders } from '../runtimes/runtime.ts'
import { openFileSafely, type Refusal, UnsafeFile } from './safe-open.ts'

// Opened once and read from the descriptor, so later changes of the name have no effect.
export type FoundFile = { content: FileHandle; filename: string; contentType: string; sizeBytes: number }
export type Folders = { host: AppFolders; inside: AppFolders }

const fileKeys = new Set(['path', 'uri', 'content_type', 'contentType', 'size', 'filename'])

// Each file is an open descriptor until it is stored, and then uses space on the server's disk.
export const maxFiles = 1000

// The first pass only checks: most outputs contain no file and must not wait.
export const mayContainFiles = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(mayContainFiles)
  if (typeof value !== 'object' || value === null) return false
  return looksLikeFile(value) || Object.values(value).some(mayContainFiles)
}

const looksLikeFile = (value: object): boolean =>
  (('path' in value && typeof value.path === 'string') || ('uri' in value && typeof value.uri === 'string')) &&
  Object.keys(value).every((key) => fileKeys.has(key))

export type CollectedOutput = { value: unknown; files: Map<object, FoundFile> }

// Two steps, so that the worker can continue during the upload: `collect` opens the files before the folder is emptied
// for the next run, `replace` uploads them. `left`: how many more files the task may return.
export const collectOutputFiles = async (
  value: unknown,
  folders: Folders,
  left = maxFiles,
): Promise<CollectedOutput> => {
  const files = new Map<object, FoundFile>()
  try {
    await visit(value, async (object) => {
      const found = await findFile(object, folders)
      if (!found) return
      files.set(object, found)
      if (files.size > left) throw new TaskFailure(`the app returned more than ${maxFiles} files`)
    })
  } catch (error) {
    await closeAll(files)
    throw error
  }
  return { value, files }
}

export const replaceOutputFiles = async (
  { value, files }: CollectedOutput,
  upload: (file: FoundFile) => Promise<string>,
): Promise<unknown> => {
  const urls = new Map<object, string>()
  try {
    for (const [object, file] of files) urls.set(object, await upload(file))
  } finally {
    await closeAll(files)
  }
  const rebuild = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(rebuild)
    if (typeof part !== 'object' || part === null) return part
    const url = urls.get(part) ?? bareUri(part)
    if (url !== undefined) return url
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, rebuild(member)]))
  }
  return rebuild(value)
}

const closeAll = async (files: Map<object, FoundFile>): Promise<void> => {
  for (const { content } of files.values()) await content.close()
}

const visit = async (value: unknown, act: (object: object) => Promise<void>): Promise<void> => {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value) && looksLikeFile(value)) await act(value)
  for (const member of Object.values(value)) await visit(member, act)
}

const bareUri = (value: object): string | undefined => {
  if (!looksLikeFile(value) || 'path' in value || !('uri' in value)) return undefined
  return typeof value.uri === 'string' && /^(https?|data):/.test(value.uri) ? value.uri : undefined
}

const findFile = async (value: object, folders: Folders): Promise<FoundFile | undefined> => {
  if (!('path' in value) || typeof value.path !== 'string') return undefined
  const file = appFileOf(value.path, folders)
  if (!file) return undefined
  const content = await openAppFile(file)
  const given = 'filename' in value && typeof value.filename === 'string' ? basename(value.filename) : ''
  const filename = given || basename(file.path)
  const named = 'content_type' in value && typeof value.content_type === 'string' ? value.content_type : undefined
  const { size } = await content.stat()
  return { content, filename, contentType: named ?? contentTypeOf(filename), sizeBytes: size }
}

const refusalTexts: Record<Refusal, string> = {
  missing: 'does not exist',
  'leads outside': "is behind a link that leads out of the app's folders",
  'not a regular file': 'is not a regular file',
}

const openAppFile = ({ root, path }: AppFile): Promise<FileHandle> =>
  openFileSafely(root, path).catch((error: unknown) => {
    if (!(error instanceof UnsafeFile)) throw error
    throw new TaskFailure(`the app returned the file ${basename(path)}, which ${refusalTexts[error.refusal]}`)
  })

type AppFile = { root: string; path: string }

const appFileOf = (given: string, { host, inside }: Folders): AppFile | undefined => {
  const path = normalize(given)
  for (const name of ['data', 'tmp', 'cache'] as const) {
    if (path.startsWith(inside[name] + sep)) return { root: host[name], path: path.slice(inside[name].length + 1) }
  }
  return undefined
}
