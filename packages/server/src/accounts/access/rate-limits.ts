// The three documented rate limits, counted per workspace and minute in the database, shared by all servers.
import { type Actor, isMember } from '#platform/core/actor.ts'
import { callerOfAddress } from '#platform/core/caller.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Failure } from '#platform/core/errors.ts'
import type { RateLimit } from '#platform/core/operation.ts'
import { rateLimited } from '#platform/core/rate-limited.ts'
import type { Db } from '#platform/db/database.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { cachedEntitlement, isUnbounded } from '../plans/service.ts'
import { countIntoWindow, deleteWindowsOutside, findWindowCount } from './rate-windows-store.ts'

const windowMs = 60_000

const setForAll = (settings: Settings, name: RateLimit): number =>
  ({ run: settings.RATE_LIMIT_RUN, get_task: settings.RATE_LIMIT_GET_TASK, upload: settings.RATE_LIMIT_UPLOAD })[name]

/** The limit per minute: for runs from the workspace's plan, otherwise the global setting; null means unlimited. */
const allowance = async (ctx: Ctx<Actor>, name: RateLimit, teamId: string | null): Promise<number | null> => {
  if (name === 'run' && teamId !== null) {
    const own = await cachedEntitlement(ctx, 'rate_per_min', teamId)
    if (!isUnbounded(own) && own.enforcement === 'block') return own.limit
  }
  return setForAll(ctx.settings, name) || null
}

const tooMany = (allowed: number, nowMs: number, resetMs: number): Failure =>
  rateLimited((seconds) => `At most ${allowed} of these requests per minute; try again in ${seconds} s`, nowMs, resetMs)

const windowStartOf = (nowMs: number): string => new Date(nowMs - (nowMs % windowMs)).toISOString()

const countNow = async (ctx: Ctx<Actor>, owner: string, name: string, many: number) => {
  const nowMs = ctx.now().getTime()
  const counted = await countIntoWindow(ctx.db, owner, { name, windowStart: windowStartOf(nowMs), many })
  return { count: counted.count, nowMs, resetMs: Date.parse(counted.window_start) + windowMs }
}

/** Counts the request. Returns the rate limit headers or fails with `rate_limited`. */
export const limitRate = async (ctx: Ctx<Actor>, name: RateLimit): Promise<Record<string, string>> => {
  const teamId = isMember(ctx.actor) ? ctx.actor.teamId : null
  const allowed = await allowance(ctx, name, teamId)
  if (allowed === null) return {}
  const { count, nowMs, resetMs } = await countNow(ctx, teamId ?? callerOfAddress(ctx.origin.ip), name, 1)
  if (count > allowed) throw tooMany(allowed, nowMs, resetMs)
  return {
    'x-ratelimit-remaining': String(allowed - count),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
  }
}

/** For operations that store data of signed-out callers: a limit per minute and network. */
export const limitSignedOut = async (ctx: Ctx<Actor>, name: string, allowed: number): Promise<void> => {
  const { count, nowMs, resetMs } = await countNow(ctx, callerOfAddress(ctx.origin.ip), name, 1)
  if (count > allowed) throw tooMany(allowed, nowMs, resetMs)
}

/** Counts runs that are started without a request. Returns how many may start and the refusal for the rest. */
export const takeFromRate = async (
  ctx: Ctx<Actor>,
  teamId: string,
  name: RateLimit,
  requested: number,
): Promise<{ granted: number; refusal: Failure | null }> => {
  const allowed = await allowance(ctx, name, teamId)
  if (allowed === null || requested === 0) return { granted: requested, refusal: null }
  const { count, nowMs, resetMs } = await countNow(ctx, teamId, name, requested)
  const granted = Math.max(0, Math.min(requested, allowed - (count - requested)))
  return { granted, refusal: granted === requested ? null : tooMany(allowed, nowMs, resetMs) }
}

/** The number of runs of a workspace counted in this minute. */
export const runsOfMinute = (db: Db, teamId: string, now: Date): Promise<number> =>
  findWindowCount(db, teamId, { name: 'run', windowStart: windowStartOf(now.getTime()) })

/** Deletes windows that are no longer counted into. */
export const sweepRateWindows = async (db: Db, now: Date): Promise<void> => {
  const at = (windows: number) => new Date(now.getTime() + windows * windowMs).toISOString()
  await deleteWindowsOutside(db, at(-10), at(10))
}
