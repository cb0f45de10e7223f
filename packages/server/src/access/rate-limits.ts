// The three limits of the wire, counted per workspace and minute in the database, so that replicas share one count.
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { Failure } from '../core/errors.ts'
import type { RateLimit } from '../core/operation.ts'
import { rateLimited } from '../core/rate-limited.ts'
import type { Db } from '../db/database.ts'
import type { Settings } from '../settings.ts'
import { countIntoWindow, deleteWindowsOutside } from './rate-windows-store.ts'

const windowMs = 60_000

const allowance = (settings: Settings, name: RateLimit): number =>
  ({ run: settings.RATE_LIMIT_RUN, get_task: settings.RATE_LIMIT_GET_TASK, upload: settings.RATE_LIMIT_UPLOAD })[name]

const tooMany = (allowed: number, nowMs: number, resetMs: number): Failure =>
  rateLimited((seconds) => `At most ${allowed} of these requests per minute; try again in ${seconds} s`, nowMs, resetMs)

const countNow = async (ctx: Ctx<Actor>, owner: string, name: RateLimit, many: number) => {
  const nowMs = ctx.now().getTime()
  const windowStart = new Date(nowMs - (nowMs % windowMs)).toISOString()
  const counted = await countIntoWindow(ctx.db, owner, { name, windowStart, many })
  return { count: counted.count, nowMs, resetMs: Date.parse(counted.window_start) + windowMs }
}

/** Counts the request; the headers to send along, or `rate_limited`. */
export const limitRate = async (ctx: Ctx<Actor>, name: RateLimit): Promise<Record<string, string>> => {
  const allowed = allowance(ctx.settings, name)
  if (allowed === 0) return {}
  const owner = isMember(ctx.actor) ? ctx.actor.teamId : `ip:${ctx.origin.ip}`
  const { count, nowMs, resetMs } = await countNow(ctx, owner, name, 1)
  if (count > allowed) throw tooMany(allowed, nowMs, resetMs)
  return {
    'x-ratelimit-remaining': String(allowed - count),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
  }
}

/** Counts what is started without a request of its own: how many of them may be, and the refusal of the rest. */
export const takeFromRate = async (
  ctx: Ctx<Actor>,
  teamId: string,
  name: RateLimit,
  wanted: number,
): Promise<{ granted: number; refusal: Failure | null }> => {
  const allowed = allowance(ctx.settings, name)
  if (allowed === 0 || wanted === 0) return { granted: wanted, refusal: null }
  const { count, nowMs, resetMs } = await countNow(ctx, teamId, name, wanted)
  const granted = Math.max(0, Math.min(wanted, allowed - (count - wanted)))
  return { granted, refusal: granted === wanted ? null : tooMany(allowed, nowMs, resetMs) }
}

/** Windows nobody counts into any more, such as those of addresses that came once. */
export const sweepRateWindows = async (db: Db, now: Date): Promise<void> => {
  const at = (windows: number) => new Date(now.getTime() + windows * windowMs).toISOString()
  await deleteWindowsOutside(db, at(-10), at(10))
}
