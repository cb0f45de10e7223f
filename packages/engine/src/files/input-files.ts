// Input files of an app: each URL in a file field is downloaded once, cached by its address, and passed as an object
// with a local path. The path is a link in a folder of the task's worker. A sandbox mounts only that folder, so an app
// sees only the files of its own task.

import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { contentTypeOf } from '@millrace/contract/content-types'
import { TaskFailure } from '../failures.ts'
import type { BoundedCache } from '../machine/bounded-cache.ts'
import { markUsed } from '../machine/cache-sweep.ts'
import type { Downloader } from '../outbound/download.ts'
import type { AppFolders } from '../runtimes/runtime.ts'
import { hasFileFields, replaceFileFields } from './file-fields.ts'

const maxBytes = 5 * 1024 ** 3
const maxNameLength = 200
const partEnding = '.part'

export type InputFile = { uri: string; path: string; content_type: string; size: number; filename: string }
// `teamId`: a cached file is never reused for another workspace, which may not have access to it.
export type Receiver = { teamId: string; folders: { host: AppFolders; inside: AppFolders }; signal: AbortSignal }
export type InputFiles = { resolve: (schema: unknown, input: unknown, receiver: Receiver) => Promise<unknown> }

export const createInputFiles = (cache: BoundedCache, downloader: Downloader): InputFiles => ({
  resolve: async (schema, input, receiver) => {
    if (!hasFileFields(schema)) return input
    return replaceFileFields(schema, input, async (value) => {
      const uri = uriOf(value)
      if (uri === undefined) return withoutPath(value)
      const name = cacheName(receiver.teamId, uri)
      // The link is a name of its own, so the cache entry may be removed afterwards.
      const release = await cache.lock(name)
      try {
        const { isNew, ...stored } = await fetchFile(join(cache.root, name), uri, downloader, receiver.signal)
        if (isNew) void cache.sweep()
        return { ...stored, path: await lend(stored.path, receiver) }
      } finally {
        release()
      }
    })
  },
})

const lend = async (path: string, { folders }: Receiver): Promise<string> => {
  const place = join(basename(dirname(path)), basename(path))
  const host = join(folders.host.files, place)
  await mkdir(dirname(host), { recursive: true })
  await link(path, host).catch((error: NodeJS.ErrnoException) => {
    // The same file twice in one input is one file. Some file systems do not support links.
    return error.code === 'EEXIST' ? undefined : copyFile(path, host)
  })
  return join(folders.inside.files, place)
}

const uriOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'uri' in value && typeof value.uri === 'string') return value.uri
  return undefined
}

/** Only the engine sets local paths: a path from a caller would look like a downloaded file. */
const withoutPath = (value: unknown): unknown => {
  if (typeof value === 'object' && value !== null && 'path' in value)
    throw new TaskFailure('a file of the input is given by its URL (`uri`), not by a path')
  return value
}

const cacheName = (teamId: string, uri: string): string =>
  createHash('sha256').update(`${teamId}\n${uri}`).digest('hex').slice(0, 32)

const fetchFile = async (
  own: string,
  uri: string,
  downloader: Downloader,
  signal: AbortSignal,
): Promise<InputFile & { isNew: boolean }> => {
  const stored = await storedFile(own)
  if (stored) {
    await markUsed(own)
    return { uri, ...stored, content_type: contentTypeOf(stored.filename), isNew: false }
  }
  const { body, contentType, filename: named } = await downloader.open(uri, signal)
  const filename = safeName(named ?? nameInAddress(uri))
  const path = join(own, filename)
  await mkdir(own, { recursive: true })
  const part = join(own, `${process.pid}.${Date.now()}${partEnding}`)
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) done(new TaskFailure(`the file ${filename} is larger than this engine accepts`))
      else done(null, chunk)
    },
  })
  try {
    await pipeline(body, measure, createWriteStream(part), { signal })
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
  const type = contentType.split(';')[0]?.trim() || contentTypeOf(filename)
  return { uri, path, content_type: type, size, filename, isNew: true }
}

/** A folder contains one file, under its original name. */
const storedFile = async (own: string): Promise<{ path: string; size: number; filename: string } | undefined> => {
  const names = await readdir(own).catch(() => [])
  const filename = names.find((name) => !name.endsWith(partEnding))
  if (filename === undefined) return undefined
  const path = join(own, filename)
  const facts = await stat(path).catch(() => undefined)
  return facts?.isFile() ? { path, size: facts.size, filename } : undefined
}

const nameInAddress = (uri: string): string => (URL.canParse(uri) ? basename(new URL(uri).pathname) : '')

/** The original filename, without characters that are part of a path or invalid here. */
const safeName = (given: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not be in a name
  const name = given.replace(/[\u0000-\u001f\u007f/\\]/g, '_').replace(/^\.+/, '')
  const bytes = Buffer.from(name)
  const short = bytes.length <= maxNameLength ? name : `${shorten(bytes)}${extname(name).slice(0, 20)}`
  return short === '' || short.endsWith(partEnding) ? 'file' : short
}

const shorten = (bytes: Buffer): string =>
  bytes
    .subarray(0, maxNameLength - 40)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
