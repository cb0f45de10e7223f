// Bundles on disk: downloaded once, verified by checksum, unpacked in a temporary folder and moved into place
// atomically, so that a folder with the final name is always complete. Requests for the same bundle share one download.
// The bundle is `code` in its folder; its installed packages are next to it.

import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TaskFailure } from '../failures.ts'
import { removeFolder } from '../files/safe-open.ts'
import type { BoundedCache } from '../machine/bounded-cache.ts'
import { markUsed } from '../machine/cache-sweep.ts'
import type { Downloader } from '../outbound/download.ts'
import { extractBundle } from './extract.ts'
import { bundleLimits } from './zip-entry.ts'

export type BundleRef = { repository: string; checksum?: string; versionId: string }
export type BundleCache = {
  // Keeps the bundle and its installed packages on the disk until the returned function is called.
  lock: (ref: BundleRef) => Promise<() => void>
  get: (ref: BundleRef) => Promise<string>
  // The installation for the bundle has ended, so the size of the cache is measured again.
  settled: (ref: BundleRef, outcome: 'ready' | 'failed') => void
}

// Bundles whose final size is known. A forgotten one is measured again.
const maxRemembered = 10_000

export const createBundleCache = (cache: BoundedCache, downloader: Downloader): BundleCache => {
  const ready = new Set<string>()
  const underway = new Map<string, Promise<string>>()

  const fetchInto = async (ref: BundleRef, folder: string): Promise<string> => {
    const code = join(folder, 'code')
    if (await exists(code)) {
      await markUsed(folder)
      return code
    }
    const work = `${folder}.${process.pid}.part`
    const archive = `${work}.zip`
    await rm(work, { recursive: true, force: true })
    await mkdir(join(work, 'code'), { recursive: true })
    try {
      await fetchArchive(ref, archive, downloader)
      await extractBundle(archive, join(work, 'code'))
      ready.delete(bundleKey(ref))
      // An earlier version of the engine stored bundles in another layout.
      await removeFolder(folder)
      await rename(work, folder)
    } finally {
      await rm(work, { recursive: true, force: true })
      await rm(archive, { force: true })
    }
    return code
  }

  return {
    lock: (ref) => cache.lock(bundleKey(ref)),
    get: (ref) => {
      const folder = join(cache.root, bundleKey(ref))
      const known = underway.get(folder)
      if (known) return known
      const made = fetchInto(ref, folder).finally(() => underway.delete(folder))
      underway.set(folder, made)
      return made
    },
    settled: (ref, outcome) => {
      const key = bundleKey(ref)
      if (outcome === 'ready' && ready.has(key)) return
      if (ready.size >= maxRemembered) ready.clear()
      if (outcome === 'ready') ready.add(key)
      else ready.delete(key)
      cache.changed(key)
      void cache.sweep()
    },
  }
}

// The checksum identifies the content. Without one, the version and the address together do.
export const bundleKey = (ref: BundleRef): string => {
  const checksum = ref.checksum?.toLowerCase()
  if (checksum && /^[0-9a-f]{64}$/.test(checksum)) return checksum
  return createHash('sha256').update(`${ref.versionId}\n${ref.repository}`).digest('hex')
}

const fetchArchive = async (ref: BundleRef, archive: string, downloader: Downloader): Promise<void> => {
  if (ref.repository === '') throw new TaskFailure('this app version has no code bundle')
  const { body } = await downloader.open(ref.repository)
  const hash = createHash('sha256')
  let sizeBytes = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      sizeBytes += chunk.length
      if (sizeBytes > bundleLimits.archiveBytes) done(new TaskFailure('the bundle is larger than this engine accepts'))
      else done(null, chunk)
    },
  })
  await pipeline(body, measure, createWriteStream(archive))
  const found = hash.digest('hex')
  if (ref.checksum && found !== ref.checksum.toLowerCase()) {
    throw new TaskFailure(`the bundle does not match its checksum (expected ${ref.checksum}, got ${found})`)
  }
}

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
