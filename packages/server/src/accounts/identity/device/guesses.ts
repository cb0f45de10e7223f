// Limits wrong guesses at codes that people type, per caller and over everybody, counted in the database so that
// replicas share one count. A guess is paid for before the look-up and paid back when the code exists: guesses sent all
// at once cannot outrun the count.
import { type Actor, isMember } from '#platform/core/actor.ts'
import { callerOfAddress } from '#platform/core/caller.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { rateLimited } from '#platform/core/rate-limited.ts'
import { userCodeGuessLimits } from '../user-code.ts'
import { type GuessKind, payBack, payGuess } from './guesses-store.ts'

const { windowSeconds, perCaller, total } = userCodeGuessLimits
const everybody = ''

/** Of the common allowance, what strangers cannot use up: without it they could keep signed-in people from approving. */
const keptForSignedIn = total / 3

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
    (await payGuess(ctx.db, kind, caller, windowStart, perCaller)) &&
    (await payGuess(ctx.db, kind, everybody, windowStart, allowedTotal))
  if (!paid) {
    const freeAtMs = startMs + windowMs
    throw rateLimited((seconds) => `Too many wrong codes; try again in ${seconds} s`, nowMs, freeAtMs)
  }
  const found = await lookUp()
  if (found !== undefined) await payBack(ctx.db, kind, [caller, everybody], windowStart)
  return found
}
