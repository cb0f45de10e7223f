// OpenID Connect with the operator's issuer: discovery, the authorization address, and the code exchange. The certified
// client verifies signatures, nonce, audience and times.
import type { Configuration, CustomFetch } from 'openid-client'
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { boundedAnswer, limitedAnswer } from '#platform/outbound/bounded-answer.ts'
import type { Settings } from '#platform/settings/settings.ts'

const timeoutSeconds = 10
const maxAnswerBytes = 1024 * 1024

export type OidcClaims = { readonly sub: string; readonly email?: unknown; readonly email_verified?: unknown }

/** Values to store between the redirect to the issuer and the return. */
export type OidcChecks = { readonly state: string; readonly nonce: string; readonly codeVerifier: string }

// Loaded on first use, because most installations have no issuer.
const library = () => import('openid-client')

/** The address is the operator's own, so it may be private; its answers are bounded all the same. */
const issuerFetch: CustomFetch = async (url, options) =>
  boundedAnswer(limitedAnswer(await fetch(url, options as RequestInit), maxAnswerBytes))

/** One discovery per server; a failed one is dropped, so that the next sign-in retries. */
const discovered = perPlatform((): { configuration: Promise<Configuration> | null } => ({ configuration: null }))

const configurationOf = (platform: Platform): Promise<Configuration> => {
  const cached = discovered(platform)
  if (cached.configuration) return cached.configuration
  const found = discover(platform.settings)
  cached.configuration = found
  found.catch(() => {
    cached.configuration = null
  })
  return found
}

const discover = async (settings: Settings): Promise<Configuration> => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret } = settings
  if (issuer === undefined || clientId === undefined) throw fail('not_found', 'Single sign-on is not configured')
  const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks, None } = await library()
  // Plain http is the operator's choice. By default the library relies on TLS instead of the signature of an ID token
  // that it fetched itself; these checks verify the signature.
  const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])]
  return discovery(new URL(issuer), clientId, secret, secret === undefined ? None() : undefined, {
    execute,
    [customFetch]: issuerFetch,
    timeout: timeoutSeconds,
  }).catch((cause: unknown) => {
    throw fail('unavailable', { detail: 'The identity provider does not respond', cause })
  })
}

export const callbackAddress = (settings: Settings): string => `${settings.APP_URL}/auth/oidc/callback`

export const authorizationAddress = async (platform: Platform): Promise<OidcChecks & { url: string }> => {
  const configuration = await configurationOf(platform)
  const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
    await library()
  const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callbackAddress(platform.settings),
    scope: 'openid email profile',
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
    code_challenge_method: 'S256',
  })
  return { ...checks, url: url.href }
}

/** The claims of the person who signed in at the issuer; some issuers return the address only from userinfo. */
export const exchangeCode = async (
  platform: Platform,
  checks: OidcChecks,
  parameters: URLSearchParams,
): Promise<OidcClaims> => {
  const configuration = await configurationOf(platform)
  const { authorizationCodeGrant, fetchUserInfo } = await library()
  const returned = new URL(callbackAddress(platform.settings))
  returned.search = parameters.toString()
  try {
    const tokens = await authorizationCodeGrant(configuration, returned, {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw fail('invalid_token', 'The identity provider sent no identity')
    const known = claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined
    const { email, email_verified } = known
      ? claims
      : await fetchUserInfo(configuration, tokens.access_token, claims.sub)
    return { sub: subjectOf(claims.sub), email, email_verified }
  } catch (cause) {
    throw await nameFailure(cause)
  }
}

/** The standard allows at most 255 ASCII characters. */
const subjectOf = (sub: string): string => {
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw fail('invalid_token', 'The identity provider sent an invalid identity')
  return sub
}

const nameFailure = async (cause: unknown) => {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await library()
  const timedOut = cause instanceof ClientError && cause.code === 'OAUTH_TIMEOUT'
  const refused =
    cause instanceof AuthorizationResponseError || cause instanceof ResponseBodyError || cause instanceof ClientError
  return refused && !timedOut
    ? fail('invalid_token', { detail: 'The identity provider refused the sign-in', cause })
    : fail('unavailable', { detail: 'The identity provider does not respond', cause })
}
