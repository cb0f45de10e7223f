// HTTP operations of sign-in. The rules are in the imported files.
import { IdPath, Success } from '@millrace/contract/common'
import {
  AuthResponse,
  AuthSession,
  CreateSessionToken,
  LinkSent,
  OidcCallbackQuery,
  OidcStartQuery,
  PrintedMails,
  RecoveryCodes,
  Redirect,
  SendLink,
  SessionToken,
  TotpCode,
  TotpConfirmed,
  TotpEnrolment,
  VerifyLink,
  VerifyOtp,
} from '@millrace/contract/identity'
import Type from 'typebox'
import { isMember } from '#platform/core/actor.ts'
import { fail } from '#platform/core/errors.ts'
import { operation, type Wire } from '#platform/core/operation.ts'
import { readCookie } from '#platform/http/cookies.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { finishOidc, oidcSeconds, startOidc } from './oidc/oidc.ts'
import { createSessionToken, listSessions, revokeOtherSessions, revokeSession, signOut } from './sessions/sessions.ts'
import { sendLink, verifyLink } from './sign-in/magic-links.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import {
  clearSessionCookies,
  explainToBrowser,
  redirectBrowser,
  setSessionCookies,
  toAuthResponse,
} from './sign-in/sign-in-answer.ts'
import { verifyOtp } from './sign-in/sign-in-otp.ts'
import { renewRecoveryCodes } from './totp/recovery-codes.ts'
import { confirmTotp, enrolTotp, removeTotp } from './totp/totp-enrolment.ts'

const oidcCookie = 'oidc_state'

const answer = (wire: Wire, step: SignIn): AuthResponse => {
  wire.header('cache-control', 'no-store')
  if (step.kind === 'signed-in') setSessionCookies(wire, step.session.secret, step.session.csrfToken)
  return toAuthResponse(step)
}

const cookieHeader = (wire: Wire): string | undefined =>
  typeof wire.headers.cookie === 'string' ? wire.headers.cookie : undefined

/** Redirects the browser after a step; a refusal redirects to the sign-in page. */
const redirectAfter = async (wire: Wire, settings: Settings, step: Promise<SignIn>): Promise<Record<string, never>> => {
  try {
    wire.redirect(redirectBrowser(wire, await step, settings))
  } catch (error) {
    explainToBrowser(wire, error, settings)
  }
  return {}
}

export const signInOperations = [
  operation({
    name: 'auth.link.send',
    route: 'POST /auth/magic-link/send',
    summary: 'Send a sign-in link and code by mail',
    scope: 'public',
    body: SendLink,
    reply: LinkSent,
    fails: ['invalid_email', 'disposable_email', 'rate_limited'],
    run: (ctx, { body }) => sendLink(ctx, body),
  }),
  operation({
    name: 'auth.link.verify',
    route: 'POST /auth/magic-link/verify',
    summary: 'Sign in with the token of a link, or with an address and its code',
    scope: 'public',
    replay: 'never',
    body: VerifyLink,
    reply: AuthResponse,
    fails: ['invalid_token', 'invalid_code', 'forbidden'],
    run: async (ctx, { body }, wire) => answer(wire, await verifyLink(ctx, body)),
  }),
  operation({
    name: 'auth.otp.verify',
    route: 'POST /auth/otp/verify',
    summary: 'Complete a sign-in with a code of the authenticator',
    scope: 'public',
    replay: 'never',
    body: VerifyOtp,
    reply: AuthResponse,
    fails: ['invalid_token', 'invalid_code', 'forbidden', 'rate_limited'],
    run: async (ctx, { body }, wire) => answer(wire, await verifyOtp(ctx, body.challenge_token, body.code)),
  }),
  operation({
    name: 'auth.logout',
    route: 'POST /auth/logout',
    summary: 'End the current session; without a session nothing happens',
    scope: 'optional',
    reply: Success,
    run: async (ctx, _input, wire) => {
      if (isMember(ctx.actor)) await signOut(ctx.as(ctx.actor))
      clearSessionCookies(wire)
      return { success: true }
    },
  }),
  operation({
    name: 'auth.sessions.token',
    route: 'POST /auth/sessions/token',
    summary: 'A short-lived token for a program that acts for the signed-in person',
    scope: 'authenticated',
    replay: 'never',
    body: CreateSessionToken,
    reply: SessionToken,
    fails: ['requires_sign_in', 'insufficient_scope'],
    run: (ctx, { body }, wire) => {
      wire.header('cache-control', 'no-store')
      return createSessionToken(ctx, body)
    },
  }),
  operation({
    name: 'auth.sessions.list',
    route: 'GET /auth/sessions',
    summary: 'The caller’s sign-in sessions',
    scope: 'user:read',
    reply: Type.Array(AuthSession),
    run: (ctx) => listSessions(ctx),
  }),
  operation({
    name: 'auth.sessions.revoke',
    route: 'DELETE /auth/sessions/:id',
    summary: 'End one of the caller’s sessions',
    scope: 'user:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found'],
    run: (ctx, { path }) => revokeSession(ctx, path.id),
  }),
  operation({
    name: 'auth.sessions.revoke_all',
    route: 'POST /auth/sessions/revoke-all',
    summary: 'End all sessions of the caller except the current one',
    scope: 'user:write',
    reply: Success,
    run: (ctx) => revokeOtherSessions(ctx),
  }),
  operation({
    name: 'auth.totp.enroll',
    route: 'POST /auth/totp/enroll',
    summary: 'Create an authenticator secret, active after confirmation',
    scope: 'user:write',
    replay: 'never',
    reply: TotpEnrolment,
    fails: ['conflict'],
    run: (ctx, _input, wire) => {
      wire.header('cache-control', 'no-store')
      return enrolTotp(ctx)
    },
  }),
  operation({
    name: 'auth.totp.confirm',
    route: 'POST /auth/totp/confirm',
    summary: 'Confirm the authenticator; it is required at every following sign-in',
    scope: 'user:write',
    replay: 'never',
    body: TotpCode,
    reply: TotpConfirmed,
    fails: ['invalid_code', 'not_found', 'conflict', 'rate_limited'],
    run: (ctx, { body }, wire) => {
      wire.header('cache-control', 'no-store')
      return confirmTotp(ctx, body.code)
    },
  }),
  operation({
    name: 'auth.totp.recovery_codes',
    route: 'POST /auth/totp/recovery-codes',
    summary: 'Create new recovery codes; earlier ones stop working',
    scope: 'user:write',
    replay: 'never',
    body: TotpCode,
    reply: RecoveryCodes,
    fails: ['invalid_code', 'not_found', 'rate_limited'],
    run: (ctx, { body }, wire) => {
      wire.header('cache-control', 'no-store')
      return renewRecoveryCodes(ctx, body.code)
    },
  }),
  operation({
    name: 'auth.totp.remove',
    route: 'DELETE /auth/totp',
    summary: 'Remove the authenticator',
    scope: 'user:write',
    body: TotpCode,
    reply: Success,
    fails: ['invalid_code', 'not_found', 'rate_limited'],
    run: (ctx, { body }) => removeTotp(ctx, body.code),
  }),
  operation({
    name: 'auth.oidc.start',
    route: 'GET /auth/oidc/start',
    summary: 'Redirect a browser to the identity provider',
    scope: 'public',
    unsafeGet: true,
    query: OidcStartQuery,
    reply: Redirect,
    fails: ['not_found', 'unavailable', 'rate_limited'],
    run: async (ctx, { query }, wire) => {
      const { url, state } = await startOidc(ctx, query.redirect_to)
      wire.setCookie(oidcCookie, state, { maxAgeSeconds: oidcSeconds, httpOnly: true })
      wire.redirect(url)
      return {}
    },
  }),
  operation({
    name: 'auth.oidc.callback',
    route: 'GET /auth/oidc/callback',
    summary: 'Redirect target of the identity provider',
    scope: 'public',
    unsafeGet: true,
    query: OidcCallbackQuery,
    reply: Redirect,
    fails: ['not_found', 'invalid_token', 'invalid_email', 'disposable_email', 'forbidden', 'unavailable'],
    run: (ctx, { query }, wire) => {
      const began = readCookie(cookieHeader(wire), oidcCookie)
      wire.clearCookie(oidcCookie)
      return redirectAfter(wire, ctx.settings, finishOidc(ctx, new URLSearchParams(query), began))
    },
  }),
  operation({
    name: 'dev.mail',
    route: 'GET /dev/mail',
    summary: 'The last mails that were printed instead of sent, in development mode only',
    scope: 'public',
    reply: PrintedMails,
    fails: ['not_found'],
    run: ({ settings, mailer }) => {
      if (!settings.DEVELOPMENT) throw fail('not_found', 'Mails are shown in development mode only')
      return [...mailer.printed()]
    },
  }),
]
