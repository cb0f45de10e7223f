// Blobs as files. An upload is written to tmp/ on the same file system, flushed and renamed to its final name; then the
// folder is flushed. After a crash at any time, readers find the old or the new bytes, never a mix.
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { newId } from '@millrace/contract/ids'
import type {
  BlobBody,
  BlobRead,
  BlobStat,
  BlobStore,
  ListedBlob,
  PutOptions,
  PutResult,
  ReadOptions,
} from './blob-store.ts'
import { meter } from './body.ts'
import {
  classifyTempFile,
  fileNameOf,
  isShard,
  keyOfFileName,
  shardOf,
  type TempOwner,
  tempName,
} from './disk-paths.ts'
import { writeDurably } from './durable-file.ts'
import { createHashThread } from './hash-thread.ts'
import { assertBlobKey, assertBlobPrefix } from './keys.ts'
import { chooseRange, rangeStillApplies } from './ranges.ts'

const readChunkBytes = 256 * 1024

/** `rootDir` is the folder of the store, such as `<dataDir>/blobs`. It is created if missing. */
export const openDiskStore = async (rootDir: string): Promise<BlobStore> => {
  const tmpDir = join(rootDir, 'tmp')
  const objectsDir = join(rootDir, 'objects')
  const owner: TempOwner = { host: hostname(), pid: process.pid, boot: newId() }
  await mkdir(tmpDir, { recursive: true, mode: 0o700 })
  await mkdir(objectsDir, { recursive: true, mode: 0o700 })
  await syncDir(rootDir)

  const hashing = createHashThread()

  // A shard is created once per process; uploads into it are acknowledged after its folder entry is durable.
  const shards = new Map<string, Promise<string>>()
  const shardDir = (key: string): Promise<string> => {
    const shard = shardOf(key)
    const known = shards.get(shard)
    if (known) return known
    const made = createShard(objectsDir, shard)
    shards.set(shard, made)
    made.catch(() => shards.delete(shard))
    return made
  }
  const pathOf = (key: string): string => {
    assertBlobKey(key)
    return join(objectsDir, shardOf(key), fileNameOf(key))
  }

  const put = async (key: string, body: BlobBody, options: PutOptions): Promise<PutResult> => {
    const target = pathOf(key)
    const temp = join(tmpDir, tempName(owner, newId()))
    const metered = meter(body, options, { hashed: !options.ownsChunks })
    const hash = options.ownsChunks ? hashing.begin() : null
    try {
      await writeDurably(temp, metered.chunks, hash ? { onWritten: hash.take } : {})
      const result = hash ? { sizeBytes: metered.sizeBytes(), sha256: await hash.hex() } : metered.result()
      const folder = await shardDir(key)
      options.signal?.throwIfAborted()
      await rename(temp, target)
      await syncDir(folder)
      return result
    } catch (error) {
      hash?.drop()
      await rm(temp, { force: true })
      throw error
    }
  }

  return {
    kind: 'disk',
    presigner: null,
    put,
    read: (key, options = {}) => readFile(pathOf(key), options),
    stat: async (key) => {
      const found = await orNull(stat(pathOf(key)))
      return found && toStat(found)
    },
    delete: async (key) => {
      const path = pathOf(key)
      const isDeleted = await orNull(rm(path).then(() => true))
      // Otherwise a deleted file could reappear after a power failure.
      if (isDeleted) await syncDir(join(objectsDir, shardOf(key)))
    },
    list: (prefix) => listObjects(objectsDir, prefix),
    sweepUnfinished: ({ idleMs }) => sweepTemps(tmpDir, owner, idleMs),
    check: () => access(rootDir, constants.R_OK | constants.W_OK | constants.X_OK),
  }
}

const readFile = async (path: string, { range, ifRange, signal }: ReadOptions): Promise<BlobRead | null> => {
  const handle = await orNull(open(path, 'r'))
  if (!handle) return null
  try {
    const found = toStat(await handle.stat())
    const choice = chooseRange(rangeStillApplies(ifRange, found) ? range : undefined, found.sizeBytes)
    if (choice.kind === 'unsatisfiable') {
      await handle.close()
      return { kind: 'unsatisfiable', ...found }
    }
    // The open file keeps its bytes while the key is overwritten or deleted.
    if (choice.kind === 'part') {
      const stream = streamOf(handle, choice.start, choice.end, signal)
      return { kind: 'part', stream, start: choice.start, end: choice.end, ...found }
    }
    return { kind: 'full', stream: streamOf(handle, 0, found.sizeBytes - 1, signal), ...found }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const streamOf = (handle: FileHandle, start: number, end: number, signal?: AbortSignal) =>
  handle.createReadStream({
    start,
    end: Math.max(start, end),
    highWaterMark: readChunkBytes,
    ...(signal && { signal }),
  })

// An inode number is reused only after its file is gone, and content changes change size or time: together a strong
// validator.
const toStat = (found: Stats): BlobStat => ({
  sizeBytes: found.size,
  etag: `"${[found.ino, found.size, Math.round(found.mtimeMs * 1000)].map((part) => part.toString(36)).join('-')}"`,
  modifiedAt: found.mtime,
})

async function* listObjects(objectsDir: string, prefix: string): AsyncGenerator<ListedBlob> {
  assertBlobPrefix(prefix)
  for (const shard of (await readdir(objectsDir)).filter(isShard)) {
    for (const name of await readdir(join(objectsDir, shard))) {
      const key = keyOfFileName(name)
      if (key === null || shardOf(key) !== shard || !key.startsWith(prefix)) continue
      const found = await orNull(stat(join(objectsDir, shard, name)))
      if (found) yield { key, sizeBytes: found.size, modifiedAt: found.mtime }
    }
  }
}

const sweepTemps = async (tmpDir: string, owner: TempOwner, idleMs: number): Promise<number> => {
  let removed = 0
  for (const name of await readdir(tmpDir)) {
    const path = join(tmpDir, name)
    const state = classifyTempFile(name, owner, isAlive)
    if (state === 'ours') continue
    const found = await orNull(stat(path))
    if (!found) continue
    if (state === 'unknown' && Date.now() - found.mtimeMs < idleMs) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

const createShard = async (objectsDir: string, shard: string): Promise<string> => {
  const folder = join(objectsDir, shard)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await syncDir(objectsDir)
  return folder
}

const syncDir = async (path: string): Promise<void> => {
  // Windows cannot open a folder; its file system journals the rename.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const errorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const orNull = async <T>(pending: Promise<T>): Promise<T | null> => {
  try {
    return await pending
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}
