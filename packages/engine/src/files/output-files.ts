// Files an app returns. An object whose `path` lies in one of the app's own folders is a file: it is uploaded and
// replaced by its URL. Any other `path` is ordinary data and stays as it is, so that an app which merely repeats its
// input can never make the engine read a file of the host.

import { lstat, mkdir, realpath, rename } from 'node:fs/promises'
import { basename, join, normalize, sep } from 'node:path'
import { newId } from '@millrace/contract/ids'
import { TaskFailure } from '../failures.ts'
import type { AppFolders } from '../runtimes/runtime.ts'
import { contentTypeOf } from './content-types.ts'

export type FoundFile = { hostPath: string; filename: string; contentType: string; sizeBytes: number }
export type Folders = { host: AppFolders; inside: AppFolders }

const fileKeys = new Set(['path', 'uri', 'content_type', 'contentType', 'size', 'filename'])

// The first pass only looks: most outputs hold no file, and those must not wait for anything.
export const mayHoldFiles = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(mayHoldFiles)
  if (typeof value !== 'object' || value === null) return false
  return looksLikeFile(value) || Object.values(value).some(mayHoldFiles)
}

const looksLikeFile = (value: object): boolean =>
  (('path' in value && typeof value.path === 'string') || ('uri' in value && typeof value.uri === 'string')) &&
  Object.keys(value).every((key) => fileKeys.has(key))

export type OutputWalk = { folders: Folders; staging: string | undefined; upload: (file: FoundFile) => Promise<string> }

// Two steps, so that the worker can go on while files travel: `collect` moves them out of the folder that is emptied
// between runs, `replace` uploads them.
export const collectOutputFiles = async (
  value: unknown,
  walk: Omit<OutputWalk, 'upload'>,
): Promise<CollectedOutput> => {
  const files = new Map<object, FoundFile>()
  await visit(value, async (object) => {
    const found = await findFile(object, walk)
    if (found) files.set(object, found)
  })
  return { value, files }
}

export type CollectedOutput = { value: unknown; files: Map<object, FoundFile> }

export const replaceOutputFiles = async (
  { value, files }: CollectedOutput,
  upload: (file: FoundFile) => Promise<string>,
): Promise<unknown> => {
  const urls = new Map<object, string>()
  for (const [object, file] of files) urls.set(object, await upload(file))
  const rebuild = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(rebuild)
    if (typeof part !== 'object' || part === null) return part
    const url = urls.get(part) ?? bareUri(part)
    if (url !== undefined) return url
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, rebuild(member)]))
  }
  return rebuild(value)
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

const findFile = async (value: object, walk: Omit<OutputWalk, 'upload'>): Promise<FoundFile | undefined> => {
  if (!('path' in value) || typeof value.path !== 'string') return undefined
  const hostPath = toHostPath(value.path, walk.folders)
  if (hostPath === undefined) return undefined
  const facts = await lstat(hostPath).catch(() => undefined)
  if (!facts?.isFile()) throw new TaskFailure(`the app returned the file ${basename(value.path)}, which does not exist`)
  // A folder on the way may be a link that leads elsewhere.
  const real = await realpath(hostPath)
  const roots = await Promise.all(ownFolders(walk.folders.host).map((folder) => realpath(folder)))
  if (!roots.some((root) => real.startsWith(root + sep))) return undefined
  const filename = 'filename' in value && typeof value.filename === 'string' ? basename(value.filename) : basename(real)
  const named = 'content_type' in value && typeof value.content_type === 'string' ? value.content_type : undefined
  return {
    hostPath: await stage(real, walk),
    filename,
    contentType: named ?? contentTypeOf(filename),
    sizeBytes: facts.size,
  }
}

const stage = async (path: string, { folders, staging }: Omit<OutputWalk, 'upload'>): Promise<string> => {
  const tmp = await realpath(folders.host.tmp)
  if (staging === undefined || !path.startsWith(tmp + sep)) return path
  await mkdir(staging, { recursive: true })
  const staged = join(staging, newId())
  await rename(path, staged)
  return staged
}

const ownFolders = (folders: AppFolders): string[] => [folders.data, folders.tmp, folders.cache]

const toHostPath = (given: string, { host, inside }: Folders): string | undefined => {
  const path = normalize(given)
  for (const name of ['data', 'tmp', 'cache'] as const) {
    const rest = path.startsWith(inside[name] + sep) ? path.slice(inside[name].length) : undefined
    if (rest !== undefined) return join(host[name], rest)
  }
  return undefined
}
