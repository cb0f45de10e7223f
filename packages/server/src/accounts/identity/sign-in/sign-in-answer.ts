// Converts a completed sign-in step to its wire form: a body for programs, cookies and a redirect for browsers.
import type { AuthResponse } from '@millrace/contract/identity'
import { isFailure } from '#platform/core/errors.ts'
import type { Wire } from '#platform/core/operation.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { browserSessionSeconds, csrfCookie, sessionCookie } from '../../access/service.ts'
import { userDto } from '../dto.ts'
import { oidcMethod } from '../oidc/oidc.ts'
import { challengeSeconds, type SignIn } from './sign-in.ts'

/** Carries the challenge from the first step to the page for the authenticator code. */
export const challengeCookie = 'challenge'

export const toAuthResponse = (step: SignIn): AuthResponse => {
  const redirect = step.redirectTo === null ? {} : { redirect_to: step.redirectTo }
  if (step.kind === 'challenged')
    return {
      session_id: '',
      otp_required: true,
      otp_method: 'totp',
      challenge_token: step.challengeToken,
      ...redirect,
    }
  return {
    user: userDto(step.user),
    session_id: step.session.id,
    is_new: step.isNew,
    ...(step.authMethod === oidcMethod ? { provider: oidcMethod } : {}),
    ...redirect,
  }
}

type CookieJar = Pick<Wire, 'setCookie' | 'clearCookie'>

export const setSessionCookies = (wire: CookieJar, secret: string, csrfToken: string): void => {
  wire.setCookie(sessionCookie, secret, { maxAgeSeconds: browserSessionSeconds, httpOnly: true })
  // Readable by our own pages, which send it as X-CSRF-Token.
  wire.setCookie(csrfCookie, csrfToken, { maxAgeSeconds: browserSessionSeconds, httpOnly: false })
}

export const clearSessionCookies = (wire: CookieJar): void => {
  wire.clearCookie(sessionCookie)
  wire.clearCookie(csrfCookie)
}

/** The redirect after this step; sets the cookies. */
export const redirectBrowser = (wire: CookieJar, step: SignIn, { APP_URL }: Settings): string => {
  if (step.kind === 'challenged') {
    wire.setCookie(challengeCookie, step.challengeToken, { maxAgeSeconds: challengeSeconds, httpOnly: true })
    const query = step.teamId === undefined ? '' : `?${new URLSearchParams({ team_id: step.teamId })}`
    return `${APP_URL}/sign-in/authenticator${query}`
  }
  setSessionCookies(wire, step.session.secret, step.session.csrfToken)
  wire.clearCookie(challengeCookie)
  return step.redirectTo ?? `${APP_URL}/`
}

/** Messages that the sign-in page may show after a redirect. Other refusals are not repeated there. */
const problems: Readonly<Record<string, string>> = {
  invalid_token: 'The link is invalid, was used or has expired.',
  invalid_email: 'The identity provider sent no verified email address.',
  disposable_email: 'Disposable email addresses cannot create an account.',
  forbidden: 'This account is suspended.',
  unavailable: 'The identity provider does not respond.',
}

export const problemOf = (code: string): string => problems[code] ?? ''

/** A program gets the refusal itself; a browser gets a page with its message. */
export const explainToBrowser = (wire: Wire, error: unknown, { APP_URL }: Settings): void => {
  const wantsPage = String(wire.headers.accept ?? '').includes('text/html')
  if (!wantsPage || !isFailure(error) || problemOf(error.code) === '') throw error
  wire.redirect(`${APP_URL}/sign-in?problem=${error.code}`)
}
