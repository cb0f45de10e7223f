// The three limits of the wire, counted per workspace and minute in the database, so that replicas share one count.
import { sql } from 'kysely'
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { RateLimit } from '../core/operation.ts'
import type { Db } from '../db/database.ts'
import type { Settings } from '../settings.ts'

const windowMs = 60_000

const allowance = (settings: Settings, name: RateLimit): number =>
  ({ run: settings.RATE_LIMIT_RUN, get_task: settings.RATE_LIMIT_GET_TASK, upload: settings.RATE_LIMIT_UPLOAD })[name]

type Window = { count: number; startMs: number }

/** A window never moves back: a replica whose clock is behind counts into the one that a faster clock has opened. */
const countOne = async (db: Db, owner: string, name: RateLimit, windowStart: string): Promise<Window> => {
  const { rows } = await sql<{ count: number; window_start: string }>`
    insert into rate_windows (team_id, name, window_start, count) values (${owner}, ${name}, ${windowStart}::timestamptz, 1)
    on conflict (team_id, name) do update set
      count = case when rate_windows.window_start >= excluded.window_start then rate_windows.count + 1 else 1 end,
      window_start = greatest(rate_windows.window_start, excluded.window_start)
    returning count, window_start`.execute(db)
  const [row] = rows
  return { count: row?.count ?? 1, startMs: Date.parse(row?.window_start ?? windowStart) }
}

/** Counts the request; the headers to send along, or `rate_limited`. */
export const limitRate = async (ctx: Ctx<Actor>, name: RateLimit): Promise<Record<string, string>> => {
  const allowed = allowance(ctx.settings, name)
  if (allowed === 0) return {}
  const nowMs = ctx.now().getTime()
  const owner = isMember(ctx.actor) ? ctx.actor.teamId : `ip:${ctx.origin.ip}`
  const { count, startMs } = await countOne(ctx.db, owner, name, new Date(nowMs - (nowMs % windowMs)).toISOString())
  const resetMs = startMs + windowMs
  const headers = {
    'x-ratelimit-remaining': String(Math.max(0, allowed - count)),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
  }
  if (count <= allowed) return headers
  const seconds = Math.max(1, Math.ceil((resetMs - nowMs) / 1000))
  throw fail('rate_limited', {
    detail: `At most ${allowed} of these requests per minute; try again in ${seconds} s`,
    headers: { ...headers, 'retry-after': String(seconds) },
  })
}

/** Windows nobody counts into any more, such as those of addresses that came once. */
export const sweepRateWindows = async (db: Db, now: Date): Promise<void> => {
  const cutoff = new Date(now.getTime() - 10 * windowMs).toISOString()
  await db.deleteFrom('rate_windows').where('window_start', '<', cutoff).execute()
}
