// Verifies authenticator codes: each code once, with limited tries. The sealed secret is opened only here.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { rateLimited } from '#platform/core/rate-limited.ts'
import { platformKeyTeam } from '#platform/keyring/keyring.ts'
import { matchTotp } from './totp.ts'
import * as store from './totp-store.ts'

export const totpTriesPerHour = 20

const hourMs = 3_600_000
const binding = (userId: string) => `users/${userId}/totp_secret`

export const sealTotpSecret = (ctx: Ctx<Actor>, userId: string, secret: Uint8Array): Promise<Buffer> =>
  ctx.keyring.seal(ctx.db, platformKeyTeam, Buffer.from(secret), binding(userId))

/** Counted in a separate statement before the code is verified, so that a refusal does not undo the count. */
export const countTotpTry = async (ctx: Ctx<Actor>, userId: string): Promise<void> => {
  const now = ctx.now()
  const windowStart = new Date(now.getTime() - hourMs).toISOString()
  const counted = await store.countTotpTry(ctx.db, userId, now.toISOString(), windowStart)
  if (!counted || counted.totp_tries <= totpTriesPerHour) return
  throw rateLimited(
    (seconds) => `Too many wrong codes; try again in ${seconds} s`,
    now.getTime(),
    Date.parse(counted.totp_tries_since) + hourMs,
  )
}

/** Consumes the code, or refuses it. */
export const useTotpCode = async (
  ctx: Ctx<Actor>,
  { userId, sealed, lastStep }: { userId: string; sealed: Buffer; lastStep: number },
  code: string,
): Promise<void> => {
  const secret = await ctx.keyring.open(ctx.db, sealed, binding(userId))
  const step = matchTotp(secret, code, ctx.now(), lastStep)
  if (step === null || !(await store.useTotpStep(ctx.db, userId, step)))
    throw fail('invalid_code', 'The code is wrong or was already used')
}
