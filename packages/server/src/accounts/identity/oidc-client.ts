// The OpenID Connect conversation with the issuer that the operator set: discovery, the address to send a browser to,
// and the exchange of what it comes back with. Signatures, nonce, audience and times are checked by the certified client.
import type { Configuration } from 'openid-client'
import { fail } from '#platform/core/errors.ts'
import type { Settings } from '#platform/settings/settings.ts'

const timeoutSeconds = 10

export type OidcClaims = { readonly email?: unknown; readonly email_verified?: unknown }

/** What has to be remembered between leaving and coming back. */
export type OidcChecks = { readonly state: string; readonly nonce: string; readonly codeVerifier: string }

// Loaded on first use: most installations have no issuer.
const library = () => import('openid-client')

/** One discovery per server; a failed one is forgotten, so that the next sign-in tries again. */
const discovered = new WeakMap<Settings, Promise<Configuration>>()

const configurationOf = (settings: Settings): Promise<Configuration> => {
  const known = discovered.get(settings)
  if (known) return known
  const found = discover(settings)
  discovered.set(settings, found)
  found.catch(() => discovered.delete(settings))
  return found
}

const discover = async (settings: Settings): Promise<Configuration> => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret } = settings
  if (issuer === undefined || clientId === undefined) throw fail('not_found', 'Single sign-on is not set up here')
  const { allowInsecureRequests, discovery, enableNonRepudiationChecks, None } = await library()
  // Plain http is the operator's own choice, made in the setting. The library leaves the signature of an identity that
  // it fetched itself to the connection's encryption unless it is told to look.
  const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])]
  return discovery(new URL(issuer), clientId, secret, secret === undefined ? None() : undefined, {
    execute,
    timeout: timeoutSeconds,
  }).catch((cause: unknown) => {
    throw fail('unavailable', { detail: 'The identity provider does not answer', cause })
  })
}

export const callbackAddress = (settings: Settings): string => `${settings.APP_URL}/auth/oidc/callback`

export const authorizationAddress = async (settings: Settings): Promise<OidcChecks & { url: string }> => {
  const configuration = await configurationOf(settings)
  const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
    await library()
  const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callbackAddress(settings),
    scope: 'openid email profile',
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
    code_challenge_method: 'S256',
  })
  return { ...checks, url: url.href }
}

/** The claims of whoever signed in at the issuer; an issuer may keep the address back until asked for it. */
export const exchangeCode = async (
  settings: Settings,
  checks: OidcChecks,
  parameters: URLSearchParams,
): Promise<OidcClaims> => {
  const configuration = await configurationOf(settings)
  const { authorizationCodeGrant, fetchUserInfo } = await library()
  const returned = new URL(callbackAddress(settings))
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
    return { email, email_verified }
  } catch (cause) {
    throw await nameFailure(cause)
  }
}

const nameFailure = async (cause: unknown) => {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await library()
  const timedOut = cause instanceof ClientError && cause.code === 'OAUTH_TIMEOUT'
  const refused =
    cause instanceof AuthorizationResponseError || cause instanceof ResponseBodyError || cause instanceof ClientError
  return refused && !timedOut
    ? fail('invalid_token', { detail: 'The identity provider refused the sign-in', cause })
    : fail('unavailable', { detail: 'The identity provider does not answer', cause })
}
