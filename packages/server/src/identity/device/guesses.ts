// Limits wrong guesses at codes that people type, per caller and over everybody, counted in the database so that
// replicas share one count. A guess is paid for before the look-up and paid back when the code exists: guesses sent all
// at once cannot outrun the count.
import { sql } from 'kysely'
import { type Actor, isMember } from '../../core/actor.ts'
import type { Ctx } from '../../core/ctx.ts'
import { rateLimited } from '../../core/rate-limited.ts'
import type { Db } from '../../db/database.ts'
import { callerOfAddress } from '../caller.ts'
import { userCodeGuessLimits } from '../user-code.ts'

export type GuessKind = 'user_code' | 'claim_code'

const { windowSeconds, perCaller, total } = userCodeGuessLimits
const everybody = ''

/** Of the common allowance, what strangers cannot use up: without it they could keep signed-in people from approving. */
const keptForSignedIn = total / 3

/** Pays back nothing twice: the window may have turned in the meantime. */
const payBack = async (db: Db, kind: GuessKind, callers: readonly string[], windowStart: string): Promise<void> => {
  await db
    .updateTable('guess_windows')
    .set((update) => ({ misses: update('misses', '-', 1) }))
    .where('kind', '=', kind)
    .where('caller', 'in', callers)
    .where('window_start', '=', windowStart)
    .where('misses', '>', 0)
    .execute()
}

/** False when the window holds `limit` misses already. */
const pay = async (db: Db, kind: GuessKind, caller: string, windowStart: string, limit: number): Promise<boolean> => {
  const { rows } = await sql`
    insert into guess_windows (kind, caller, window_start, misses)
    values (${kind}, ${caller}, ${windowStart}::timestamptz, 1)
    on conflict (kind, caller) do update set
      misses = case when guess_windows.window_start = excluded.window_start then guess_windows.misses + 1 else 1 end,
      window_start = excluded.window_start
    where guess_windows.window_start <> excluded.window_start or guess_windows.misses < ${limit}
    returning misses`.execute(db)
  return rows.length > 0
}

const callerOf = (ctx: Ctx<Actor>): string =>
  isMember(ctx.actor) ? `user:${ctx.actor.userId}` : callerOfAddress(ctx.origin.ip)

/** Looks something up by a code; what is not found counts as a wrong guess. Must not run inside a transaction. */
export const guess = async <T>(
  ctx: Ctx<Actor>,
  kind: GuessKind,
  lookUp: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const nowMs = ctx.now().getTime()
  const windowMs = windowSeconds * 1000
  const startMs = nowMs - (nowMs % windowMs)
  const windowStart = new Date(startMs).toISOString()
  const caller = callerOf(ctx)
  const allowedTotal = kind === 'user_code' && !isMember(ctx.actor) ? total - keptForSignedIn : total
  const paid =
    (await pay(ctx.db, kind, caller, windowStart, perCaller)) &&
    (await pay(ctx.db, kind, everybody, windowStart, allowedTotal))
  if (!paid) {
    const freeAtMs = startMs + windowMs
    throw rateLimited((seconds) => `Too many wrong codes; try again in ${seconds} s`, nowMs, freeAtMs)
  }
  const found = await lookUp()
  if (found !== undefined) await payBack(ctx.db, kind, [caller, everybody], windowStart)
  return found
}

export const deleteWindowsBefore = async (db: Db, cutoff: string): Promise<void> => {
  await db.deleteFrom('guess_windows').where('window_start', '<', cutoff).execute()
}
