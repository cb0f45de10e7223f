// Limits wrong guesses of typed codes, per caller and in total, counted in the database so that all servers share one
// count. A guess is counted before the lookup and refunded when the code exists, so simultaneous guesses cannot exceed
// the limit.
import { type Actor, isMember } from '#platform/core/actor.ts'
import { callerOfAddress } from '#platform/core/caller.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { rateLimited } from '#platform/core/rate-limited.ts'
import { userCodeGuessLimits } from '../user-code.ts'
import { countGuess, type GuessKind, refundGuess } from './guesses-store.ts'

const { windowSeconds, perCaller, total } = userCodeGuessLimits
const everybody = ''

/** The part of the total limit reserved for signed-in people; without it, strangers could block approvals. */
const reservedForSignedIn = total / 3

const callerOf = (ctx: Ctx<Actor>): string =>
  isMember(ctx.actor) ? `user:${ctx.actor.userId}` : callerOfAddress(ctx.origin.ip)

/** Looks something up by a code; a missing result counts as a wrong guess. Must not run inside a transaction. */
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
  const allowedTotal = kind === 'user_code' && !isMember(ctx.actor) ? total - reservedForSignedIn : total
  const isCounted =
    (await countGuess(ctx.db, kind, caller, windowStart, perCaller)) &&
    (await countGuess(ctx.db, kind, everybody, windowStart, allowedTotal))
  if (!isCounted) {
    const freeAtMs = startMs + windowMs
    throw rateLimited((seconds) => `Too many wrong codes; try again in ${seconds} s`, nowMs, freeAtMs)
  }
  const found = await lookUp()
  if (found !== undefined) await refundGuess(ctx.db, kind, [caller, everybody], windowStart)
  return found
}
