// Deletes bytes without a record in a job that is written in the transaction that removed the last reference: a
// rollback keeps the bytes, and a crash after the commit only delays their deletion.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import type { JobHandler } from '#platform/jobs/jobs.ts'

const name = 'files.drop_bytes'

const keysOf = (payload: Record<string, unknown>): string[] =>
  Array.isArray(payload.blob_keys) ? payload.blob_keys.filter((key) => typeof key === 'string') : []

export const dropBytesJob = {
  name,
  add: async (ctx: Ctx<Actor>, blobKeys: readonly string[]): Promise<void> => {
    if (blobKeys.length > 0) await ctx.jobs.add(ctx.db, name, { blob_keys: blobKeys })
  },
  handler:
    ({ blobs }: Platform): JobHandler =>
    async (payload) => {
      for (const key of keysOf(payload)) await blobs.delete(key)
    },
}
