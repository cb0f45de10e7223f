// A finished step of a sign-in as the wire shows it: the body for programs, cookies and an address for browsers.
import type { AuthResponse } from '@millrace/contract/identity'
import { isFailure } from '#platform/core/errors.ts'
import type { Wire } from '#platform/core/operation.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { browserSessionSeconds, csrfCookie, sessionCookie } from '../access/service.ts'
import { userDto } from './dto.ts'
import { oidcMethod } from './oidc.ts'
import { challengeSeconds, type SignIn } from './sign-in.ts'

/** Carries the challenge from the first step to the page that asks for the authenticator's code. */
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
  // Readable by our own pages, which send it back as X-CSRF-Token.
  wire.setCookie(csrfCookie, csrfToken, { maxAgeSeconds: browserSessionSeconds, httpOnly: false })
}

export const clearSessionCookies = (wire: CookieJar): void => {
  wire.clearCookie(sessionCookie)
  wire.clearCookie(csrfCookie)
}

/** Where a browser goes after this step; its cookies are set on the way. */
export const leadBrowser = (wire: CookieJar, step: SignIn, { APP_URL }: Settings): string => {
  if (step.kind === 'challenged') {
    wire.setCookie(challengeCookie, step.challengeToken, { maxAgeSeconds: challengeSeconds, httpOnly: true })
    const query = step.teamId === undefined ? '' : `?${new URLSearchParams({ team_id: step.teamId })}`
    return `${APP_URL}/sign-in/authenticator${query}`
  }
  setSessionCookies(wire, step.session.secret, step.session.csrfToken)
  wire.clearCookie(challengeCookie)
  return step.redirectTo ?? `${APP_URL}/`
}

/** Sentences for refusals that a browser is led back to the sign-in page with. Anything else is not repeated there. */
const problems: Readonly<Record<string, string>> = {
  invalid_token: 'The link is invalid, was used or has expired.',
  invalid_email: 'The identity provider names no e-mail address that it has verified.',
  disposable_email: 'Disposable e-mail addresses cannot open an account.',
  forbidden: 'This account is suspended.',
  unavailable: 'The identity provider does not answer.',
}

export const problemOf = (code: string): string => problems[code] ?? ''

/** A program gets the refusal itself; a person in front of a browser gets a page that says it. */
export const explainToBrowser = (wire: Wire, error: unknown, { APP_URL }: Settings): void => {
  const wantsPage = String(wire.headers.accept ?? '').includes('text/html')
  if (!wantsPage || !isFailure(error) || problemOf(error.code) === '') throw error
  wire.redirect(`${APP_URL}/sign-in?problem=${error.code}`)
}
