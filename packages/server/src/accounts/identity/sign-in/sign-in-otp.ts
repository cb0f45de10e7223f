// The second step of a sign-in: an authenticator code answers the challenge of the first step.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken } from '#platform/core/tokens.ts'
import { findUser } from '../accounts/accounts-store.ts'
import { useSecondFactor } from '../totp/recovery-codes.ts'
import { countTotpTry } from '../totp/totp-codes.ts'
import { openBrowser, refuseBanned, type SignIn } from './sign-in.ts'
import * as store from './sign-in-store.ts'

export const challengeTries = 5

const noChallenge = () => fail('invalid_token', 'The sign-in has expired or has no tries left; start again')

/** `teamId`: the workspace that the browser opens, if its person is a member. */
export const verifyOtp = async (
  ctx: Ctx<Actor>,
  challengeToken: string,
  code: string,
  teamId?: string,
): Promise<SignIn> => {
  const now = ctx.now().toISOString()
  const challenge = await store.countChallengeTry(ctx.db, hashToken(challengeToken), challengeTries, now)
  if (!challenge) throw noChallenge()
  await countTotpTry(ctx, challenge.user_id)
  return ctx.tx(async (ctx) => {
    const user = await findUser(ctx.db, challenge.user_id)
    if (!user?.totp_secret_sealed || user.totp_confirmed_at === null) throw noChallenge()
    refuseBanned(user)
    await useSecondFactor(ctx, { ...user, totp_secret_sealed: user.totp_secret_sealed }, code)
    if (!(await store.useChallenge(ctx.db, challenge.id, now))) throw noChallenge()
    return openBrowser(ctx, {
      user,
      isNew: false,
      // Staff who use an authenticator in a browser get platform rights.
      elevated: user.role === 'admin',
      authMethod: challenge.auth_method,
      redirectTo: challenge.redirect_to,
      teamId,
    })
  })
}
