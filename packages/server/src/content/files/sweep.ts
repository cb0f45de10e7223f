// What nobody will come back for: records that were announced and never uploaded, uploads that broke off, what engines
// uploaded and no output names, and bytes that no record points at.
import type { Platform } from '#platform/core/ctx.ts'
import { blobPrefix } from './addresses.ts'
import * as store from './store.ts'

const dayMs = 24 * 3600_000
/** An upload to another replica's disk or to S3 that has not moved for this long is taken for dead. */
const idleUploadMs = 6 * 3600_000
/** Longer than any task runs: until it has ended, its output may yet name what it showed on its way. */
const unnamedMs = 7 * dayMs
const batchSize = 500

/** Records announced a day ago and never uploaded, and what broken uploads left in the store. */
export const sweepUnfinished = async ({ db, blobs, now, log }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - dayMs).toISOString()
  const records = await inBatches((limit) => store.deleteNeverUploaded(db, before, limit))
  const uploads = await blobs.sweepUnfinished({ idleMs: idleUploadMs })
  if (records + uploads > 0) log.info({ records, uploads }, 'swept files that never came')
}

/** What an app showed on its way and did not return, or made for a task that never ended: it is nobody's. */
export const sweepUnnamed = ({ db, now }: Platform, batch = batchSize): Promise<number> => {
  const before = new Date(now().getTime() - unnamedMs).toISOString()
  return inBatches((limit) => store.deleteNeverAdopted(db, before, limit), batch)
}

/** However many there are, no statement holds rows for long. */
const inBatches = async (remove: (limit: number) => Promise<number>, batch = batchSize): Promise<number> => {
  let removed = 0
  for (let gone = batch; gone > 0; removed += gone) gone = await remove(batch)
  return removed
}

/** `before`: bytes last written earlier than this belong to no upload that is still under way. */
export const sweepOrphans = async ({ db, blobs, log }: Platform, before: Date): Promise<number> => {
  let removed = 0
  let batch: string[] = []
  const judgeBatch = async () => {
    const kept = new Set(batch.length === 0 ? [] : await store.findReferencedBlobs(db, batch))
    for (const key of batch.filter((key) => !kept.has(key))) {
      await blobs.delete(key)
      removed += 1
    }
    batch = []
  }
  for await (const { key, modifiedAt } of blobs.list(blobPrefix)) {
    if (modifiedAt >= before) continue
    batch.push(key)
    if (batch.length >= batchSize) await judgeBatch()
  }
  await judgeBatch()
  if (removed > 0) log.info({ removed }, 'swept bytes that no file points at')
  return removed
}

/** The bytes of an upload are referenced moments after they are complete; a day is far beyond that. */
export const sweepOldOrphans = (platform: Platform): Promise<number> =>
  sweepOrphans(platform, new Date(Date.now() - dayMs))

/**
 * On the disk, which one server has for itself, everything written before its start is of an earlier life. The
 * machine's own clock, because it is compared with the times of files.
 */
export const sweepAtStart = async (platform: Platform): Promise<void> => {
  const startedAt = new Date()
  await sweepUnfinished(platform)
  if (platform.blobs.kind === 'disk') await sweepOrphans(platform, startedAt)
  else await sweepOldOrphans(platform)
}
