// Removes what is unreachable: announced records without an upload, interrupted uploads, engine uploads that no output
// names, and bytes without a record.
import type { Platform } from '#platform/core/ctx.ts'
import { blobPrefix } from './addresses.ts'
import * as store from './store.ts'

const dayMs = 24 * 3600_000
/** An upload on another replica's disk or on S3 without progress for this long counts as interrupted. */
const idleUploadMs = 6 * 3600_000
/** Longer than any task runs, because the output of a running task may still name the file. */
const unnamedMs = 7 * dayMs
const batchSize = 500

/** Removes records that were announced a day ago without an upload, and the remains of interrupted uploads. */
export const sweepUnfinished = async ({ db, blobs, now, log }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - dayMs).toISOString()
  const records = await inBatches((limit) => store.deleteNeverUploaded(db, before, limit))
  const uploads = await blobs.sweepUnfinished({ idleMs: idleUploadMs })
  if (records + uploads > 0) log.info({ records, uploads }, 'swept files that were never uploaded')
}

/** Removes engine uploads that no output names: an app showed them in progress only, or its task never ended. */
export const sweepUnnamed = ({ db, now }: Platform, batch = batchSize): Promise<number> => {
  const before = new Date(now().getTime() - unnamedMs).toISOString()
  return inBatches((limit) => store.deleteNeverAdopted(db, before, limit), batch)
}

/** In batches, so that no statement locks rows for long. */
const inBatches = async (remove: (limit: number) => Promise<number>, batch = batchSize): Promise<number> => {
  let removed = 0
  for (let deleted = batch; deleted > 0; removed += deleted) deleted = await remove(batch)
  return removed
}

/** `before`: bytes last written earlier than this belong to no upload in progress. */
export const sweepOrphans = async ({ db, blobs, log }: Platform, before: Date): Promise<number> => {
  let removed = 0
  let batch: string[] = []
  const deleteUnreferenced = async () => {
    const referenced = new Set(batch.length === 0 ? [] : await store.findReferencedBlobs(db, batch))
    for (const key of batch.filter((key) => !referenced.has(key))) {
      await blobs.delete(key)
      removed += 1
    }
    batch = []
  }
  for await (const { key, modifiedAt } of blobs.list(blobPrefix)) {
    if (modifiedAt >= before) continue
    batch.push(key)
    if (batch.length >= batchSize) await deleteUnreferenced()
  }
  await deleteUnreferenced()
  if (removed > 0) log.info({ removed }, 'swept bytes without a record')
  return removed
}

/** Complete bytes are referenced within moments, so a day is a safe margin. */
export const sweepOldOrphans = (platform: Platform): Promise<number> =>
  sweepOrphans(platform, new Date(Date.now() - dayMs))

/**
 * On a disk of one server, everything written before the start belongs to an earlier process. Uses the machine's own
 * clock, because the times of files come from it.
 */
export const sweepAtStart = async (platform: Platform): Promise<void> => {
  const startedAt = new Date()
  await sweepUnfinished(platform)
  if (platform.blobs.kind === 'disk') await sweepOrphans(platform, startedAt)
  else await sweepOldOrphans(platform)
}
