// The steps after a successful proof of identity, for every sign-in method: an account, then a second factor or a session.
// Independent of mail, issuers and HTTP.
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken, newOpaqueToken } from '#platform/core/tokens.ts'
import { type Account, ensureAccount } from '../accounts/accounts.ts'
import { findMembership } from '../accounts/accounts-store.ts'
import { createSession, type MintedSession } from '../sessions/sessions.ts'
import * as store from './sign-in-store.ts'

export const challengeSeconds = 600

export type SignInProof = {
  email: string
  authMethod: string
  redirectTo: string | null
  /** The workspace to open, if the person is a member; otherwise their own. */
  teamId?: string | undefined
}

export type SignIn =
  | {
      kind: 'signed-in'
      user: Account
      isNew: boolean
      session: MintedSession
      authMethod: string
      redirectTo: string | null
    }
  /** No session yet: an authenticator code is still required. */
  | { kind: 'challenged'; challengeToken: string; redirectTo: string | null; teamId?: string | undefined }

/** Call in the transaction that consumed the proof. */
export const signInWith = async (ctx: Ctx<Actor>, proof: SignInProof): Promise<SignIn> => {
  const { user, isNew } = await ensureAccount(ctx, proof.email)
  refuseBanned(user)
  if (user.totp_confirmed_at !== null) return challenge(ctx, user, proof)
  return openBrowser(ctx, { user, isNew, elevated: false, ...proof })
}

const challenge = async (ctx: Ctx<Actor>, user: Account, proof: SignInProof): Promise<SignIn> => {
  const challengeToken = newOpaqueToken()
  const now = ctx.now()
  await store.insertChallenge(ctx.db, {
    id: newId(),
    user_id: user.id,
    token_hash: hashToken(challengeToken),
    auth_method: proof.authMethod,
    redirect_to: proof.redirectTo,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + challengeSeconds * 1000).toISOString(),
  })
  return { kind: 'challenged', challengeToken, redirectTo: proof.redirectTo, teamId: proof.teamId }
}

export const openBrowser = async (
  ctx: Ctx<Actor>,
  {
    user,
    isNew,
    elevated,
    authMethod,
    redirectTo,
    teamId,
  }: Omit<SignInProof, 'email'> & { user: Account; isNew: boolean; elevated: boolean },
): Promise<SignIn> => {
  const place = teamId === undefined ? undefined : await findMembership(ctx.db, teamId, user.id)
  const opened = { userId: user.id, kind: 'browser', authMethod, elevated, teamId: place && teamId } as const
  const session = await createSession(ctx, opened)
  return { kind: 'signed-in', user, isNew, session, authMethod, redirectTo }
}

export const refuseBanned = (user: Pick<Account, 'banned_at'>): void => {
  if (user.banned_at !== null) throw fail('forbidden', 'This account is suspended')
}
