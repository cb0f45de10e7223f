// The three limits of the wire, counted per workspace and minute in the database, so that replicas share one count.
import { sql } from 'kysely'
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { Failure } from '../core/errors.ts'
import type { RateLimit } from '../core/operation.ts'
import { rateLimited } from '../core/rate-limited.ts'
import type { Db } from '../db/database.ts'
import type { Settings } from '../settings.ts'

const windowMs = 60_000

const allowance = (settings: Settings, name: RateLimit): number =>
  ({ run: settings.RATE_LIMIT_RUN, get_task: settings.RATE_LIMIT_GET_TASK, upload: settings.RATE_LIMIT_UPLOAD })[name]

type Window = { count: number; startMs: number }

/**
 * A window moves back by one at most: a replica whose clock is a little behind counts into the one that a faster clock
 * has opened. One that lies further ahead was opened by a clock that has been put right since; it locks nobody out.
 */
const count = async (
  db: Db,
  owner: string,
  { name, windowStart, many }: { name: RateLimit; windowStart: string; many: number },
): Promise<Window> => {
  const isOpen = sql`(rate_windows.window_start >= excluded.window_start
    and rate_windows.window_start <= excluded.window_start + interval '1 minute')`
  const { rows } = await sql<{ count: number; window_start: string }>`
    insert into rate_windows (team_id, name, window_start, count) values (${owner}, ${name}, ${windowStart}::timestamptz, ${many})
    on conflict (team_id, name) do update set
      count = case when ${isOpen} then rate_windows.count + excluded.count else excluded.count end,
      window_start = case when ${isOpen} then rate_windows.window_start else excluded.window_start end
    returning count, window_start`.execute(db)
  const [row] = rows
  return { count: row?.count ?? many, startMs: Date.parse(row?.window_start ?? windowStart) }
}

const tooMany = (allowed: number, nowMs: number, resetMs: number): Failure =>
  rateLimited((seconds) => `At most ${allowed} of these requests per minute; try again in ${seconds} s`, nowMs, resetMs)

const countNow = async (ctx: Ctx<Actor>, owner: string, name: RateLimit, many: number) => {
  const nowMs = ctx.now().getTime()
  const windowStart = new Date(nowMs - (nowMs % windowMs)).toISOString()
  const counted = await count(ctx.db, owner, { name, windowStart, many })
  return { count: counted.count, nowMs, resetMs: counted.startMs + windowMs }
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
  await db
    .deleteFrom('rate_windows')
    .where((where) => where.or([where('window_start', '<', at(-10)), where('window_start', '>', at(10))]))
    .execute()
}
