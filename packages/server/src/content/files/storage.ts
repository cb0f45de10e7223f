// Free storage of a workspace, which files and rows share. The entitlement is in megabytes (10^6 bytes).

import { entitlementOf, requireWithinLimit, rowMegabytes } from '#accounts/plans/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import type { Db } from '#platform/db/database.ts'
import { sumBytes } from './store.ts'

const bytesPerMegabyte = 1_000_000
const resource = 'storage_mb'

export const storedMegabytes = async (db: Db, teamId: string, now: Date): Promise<number> =>
  (await sumBytes(db, teamId, now.toISOString())) / bytesPerMegabyte

const usedMegabytes = async (ctx: Ctx<Actor>, teamId: string, exceptId: string): Promise<number> =>
  (await sumBytes(ctx.db, teamId, ctx.now().toISOString(), exceptId)) / bytesPerMegabyte +
  (await rowMegabytes(ctx, teamId))

/**
 * Throws `limit_exceeded` if the workspace does not have this much room. Call it in the transaction that adds the
 * bytes.
 */
export const requireRoom = (ctx: Ctx<Actor>, teamId: string, addingBytes: number, exceptId = ''): Promise<void> =>
  requireWithinLimit(ctx, resource, {
    teamId,
    adding: addingBytes / bytesPerMegabyte,
    current: () => usedMegabytes(ctx, teamId, exceptId),
  })

/** The same, with the error code of the upload endpoint. */
export const requireRoomForUpload = async (...question: Parameters<typeof requireRoom>): Promise<void> => {
  try {
    await requireRoom(...question)
  } catch (error) {
    if (!isFailure(error, 'limit_exceeded') && !isFailure(error, 'feature_not_available')) throw error
    throw fail('upload_too_large', { detail: error.message, meta: error.options.meta })
  }
}

/** The maximum size of an upload for this record, so that a body above it is refused early. */
export const roomLeft = async (ctx: Ctx<Actor>, teamId: string, exceptId: string): Promise<number> => {
  const { enabled, unlimited, limit, enforcement } = await entitlementOf(ctx, resource, teamId)
  if ((enabled && unlimited) || enforcement === 'warn') return Number.POSITIVE_INFINITY
  if (!enabled) return 0
  return Math.max(0, (limit - (await usedMegabytes(ctx, teamId, exceptId))) * bytesPerMegabyte)
}
