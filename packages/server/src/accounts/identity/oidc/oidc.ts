// Single sign-on through the operator's issuer. The issuer must have verified the address. The rules for new accounts
// apply, except the one about plus tags.

import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken, sameSecret } from '#platform/core/tokens.ts'
import { limitSignedOut } from '../../access/service.ts'
import { findUserByEmail } from '../accounts/accounts-store.ts'
import { type SignIn, signInWith } from '../sign-in/sign-in.ts'
import { readEmail, readRedirect, refuseNewAccount } from '../sign-in/sign-in-rules.ts'
import { mayOpenAccount } from '../sign-in/sign-up.ts'
import { authorizationAddress, exchangeCode, type OidcClaims } from './oidc-client.ts'
import * as store from './oidc-store.ts'

export const oidcSeconds = 600
export const oidcMethod = 'oidc'
/** Per network, because each start stores a row for anyone who follows the link. */
export const oidcStartsPerMinute = 300

const storedState = (state: string): string => hashToken(state).toString('base64url')

export const startOidc = async (
  ctx: Ctx<Actor>,
  redirectTo: string | undefined,
): Promise<{ url: string; state: string }> => {
  const redirect_to = readRedirect(redirectTo, ctx.settings.APP_URL)
  const { url, state, nonce, codeVerifier } = await authorizationAddress(ctx)
  await limitSignedOut(ctx, 'oidc', oidcStartsPerMinute)
  const now = ctx.now()
  await store.insertAttempt(ctx.db, {
    state: storedState(state),
    nonce,
    code_verifier: codeVerifier,
    redirect_to,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + oidcSeconds * 1000).toISOString(),
  })
  return { url, state }
}

/**
 * `browserState` is the cookie set at the start, so that nobody is signed in to a sign-in that another person started.
 */
export const finishOidc = async (
  ctx: Ctx<Actor>,
  parameters: URLSearchParams,
  browserState: string | null,
): Promise<SignIn> => {
  if (ctx.settings.OIDC_ISSUER === undefined) throw fail('not_found', 'Single sign-on is not configured')
  const state = parameters.get('state')
  const began = state !== null && browserState !== null && sameSecret(state, browserState)
  const attempt = began ? await store.takeAttempt(ctx.db, storedState(state), ctx.now().toISOString()) : undefined
  if (!began || !attempt)
    throw fail('invalid_token', 'This sign-in was not started here, took too long or was already completed')
  const checks = { state, nonce: attempt.nonce, codeVerifier: attempt.code_verifier }
  const claims = await exchangeCode(ctx, checks, parameters)
  const identity = { issuer: ctx.settings.OIDC_ISSUER, subject: claims.sub }
  return ctx.tx(async (ctx) => {
    const linked = await store.findUserByIdentity(ctx.db, identity)
    const email = linked?.email ?? (await newIdentityEmail(ctx, identity, claims))
    const signIn = await signInWith(ctx, { email, authMethod: oidcMethod, redirectTo: attempt.redirect_to })
    if (!linked) await store.linkIdentity(ctx.db, email, identity)
    return signIn
  })
}

/** The address of an identity that signs in for the first time: of the account to link, or of a new one. */
const newIdentityEmail = async (
  ctx: Ctx<Actor>,
  { issuer }: store.OidcIdentity,
  claims: OidcClaims,
): Promise<string> => {
  const email = verifiedEmail(claims)
  const known = await findUserByEmail(ctx.db, email)
  // The issuer has given the address to another person.
  if (known?.oidc_issuer === issuer && known.oidc_subject !== null)
    throw fail('forbidden', 'The account of this address belongs to another identity of the identity provider')
  if (!known) {
    refuseNewAccount(email, { enforcePlusAlias: false })
    if (!(await mayOpenAccount(ctx, email)))
      throw fail('forbidden', 'No account can be created for this address; ask for an invite to a workspace')
  }
  return email
}

const verifiedEmail = ({ email, email_verified: verified }: OidcClaims): string => {
  if (typeof email !== 'string' || email === '')
    throw fail('invalid_email', 'The identity provider sent no email address')
  // Some issuers send the string instead of the boolean.
  if (verified !== true && verified !== 'true')
    throw fail('invalid_email', 'The identity provider has not verified this email address')
  return readEmail(email)
}
