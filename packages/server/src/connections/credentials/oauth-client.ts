// OAuth requests to a service, through the certified client and the guarded fetch. Non-standard responses are converted
// before the client sees them, so that its checks always apply. Errors that leave here never contain a token, although
// the client's own errors quote what they could not parse.
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import type { Configuration } from 'openid-client'
import type { Platform } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { outboundFailureIn } from '#platform/outbound/failures.ts'
import { asFetch } from '#platform/outbound/fetch.ts'
import { type AuthServerProfile, profileNamed, readTokenAnswer } from '../auth-providers/service.ts'

const limits = { timeoutMs: 20_000, maxBytes: 1024 * 1024 }

/** Allowed clock difference when a signed statement is checked. */
const clockToleranceSeconds = 300

// Loaded on first use and cached by the runtime.
const library = () => import('openid-client')

export type OauthClient = {
  /** With the app's variables already inserted into its addresses. */
  readonly spec: OAuth2Spec
  readonly clientId: string
  readonly clientSecret: string | null
  /** The name of the service in messages. */
  readonly displayName: string
}

export type Tokens = {
  readonly accessToken: string
  readonly refreshToken: string | null
  readonly idToken: string | null
  readonly expiresInSeconds: number | null
  /** Null when the service did not say; then the requested scopes were granted. */
  readonly scopes: readonly string[] | null
  /** All other fields of the response, used to derive the account. */
  readonly answer: Readonly<Record<string, unknown>>
}

type Parts = Pick<Platform, 'outbound' | 'now'>

const profileOf = (spec: OAuth2Spec): AuthServerProfile => profileNamed(spec.profile)

/** The RFC 8707 resource parameter, or the server's equivalent. */
const resourceParameters = (spec: OAuth2Spec): Record<string, string> => {
  const { resourceParameter } = profileOf(spec)
  return spec.resource === undefined || resourceParameter === null ? {} : { [resourceParameter]: spec.resource }
}

const scopeParameter = (spec: OAuth2Spec, scopes: readonly string[]): Record<string, string> =>
  scopes.length > 0 ? { scope: scopes.join(spec.scope_separator ?? ' ') } : {}

/**
 * The guarded fetch, with the token response converted to standard fields. `kept` receives the ID token that was
 * removed.
 */
const tokenFetch = ({ outbound }: Parts, spec: OAuth2Spec, removed: { idToken: string | null }): typeof fetch => {
  const guarded = asFetch(outbound, limits)
  const hook = spec.token_response ?? profileOf(spec).tokenResponse
  return async (input, init) => {
    const response = await guarded(input, init)
    if (String(input) !== new URL(spec.token_endpoint).href) return response
    const sentAt = Date.parse(response.headers.get('date') ?? '')
    const { status, fields } = readTokenAnswer(hook, {
      status: response.status,
      text: await response.text(),
      contentType: response.headers.get('content-type') ?? '',
      sentAtMs: Number.isNaN(sentAt) ? null : sentAt,
    })
    const { id_token, ...rest } = fields
    removed.idToken = typeof id_token === 'string' ? id_token : null
    // An ID token can be verified only with a known issuer; otherwise it is treated as an untrusted claim.
    const shown = spec.issuer !== undefined && removed.idToken !== null ? fields : rest
    return new Response(JSON.stringify(shown), { status, headers: { 'content-type': 'application/json' } })
  }
}

const configure = async (
  parts: Parts,
  { spec, clientId, clientSecret }: OauthClient,
  removed: { idToken: string | null } = { idToken: null },
): Promise<Configuration> => {
  const openid = await library()
  const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, Configuration, None } = openid
  const authenticate =
    spec.client_auth === 'none' || clientSecret === null
      ? None()
      : spec.client_auth === 'basic'
        ? ClientSecretBasic(clientSecret)
        : ClientSecretPost(clientSecret)
  const server = {
    issuer: spec.issuer ?? new URL(spec.token_endpoint).origin,
    authorization_endpoint: spec.authorization_endpoint,
    token_endpoint: spec.token_endpoint,
    revocation_endpoint: spec.revocation_endpoint,
  }
  const config = new Configuration(
    Object.fromEntries(Object.entries(server).filter(([, value]) => value !== undefined)) as typeof server,
    clientId,
    {
      [openid.clockTolerance]: clockToleranceSeconds,
      [openid.clockSkew]: Math.round((parts.now().getTime() - Date.now()) / 1000),
    },
    authenticate,
  )
  // An http address was allowed by the operator's rules when the provider was saved.
  if (spec.token_endpoint.startsWith('http:')) allowInsecureRequests(config)
  config.timeout = limits.timeoutMs / 1000
  config[openid.customFetch] = tokenFetch(parts, spec, removed) as never
  return config
}

export type SignInRequest = {
  redirectUri: string
  state: string
  codeVerifier: string | null
  scopes: readonly string[]
}

export const authorizationAddress = async (
  parts: Parts,
  client: OauthClient,
  request: SignInRequest,
): Promise<string> => {
  const { spec } = client
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
  const { authorizeParams } = profileOf(spec)
  const challenge: Record<string, string> =
    request.codeVerifier === null
      ? {}
      : { code_challenge: await calculatePKCECodeChallenge(request.codeVerifier), code_challenge_method: 'S256' }
  return buildAuthorizationUrl(await configure(parts, client), {
    ...authorizeParams,
    ...spec.extra_authorize_params,
    ...resourceParameters(spec),
    redirect_uri: request.redirectUri,
    state: request.state,
    ...scopeParameter(spec, request.scopes),
    ...challenge,
  }).href
}

export const newState = async (): Promise<string> => (await library()).randomState()
export const newCodeVerifier = async (): Promise<string> => (await library()).randomPKCECodeVerifier()

export type OauthRedirect = { code: string; state: string; iss: string | undefined }

export const exchangeCode = async (
  parts: Parts,
  client: OauthClient,
  returned: OauthRedirect,
  checks: { redirectUri: string; codeVerifier: string | null },
): Promise<Tokens> => {
  const { authorizationCodeGrant } = await library()
  const address = new URL(checks.redirectUri)
  address.searchParams.set('code', returned.code)
  address.searchParams.set('state', returned.state)
  // Without a known issuer, the `iss` of the response cannot be compared.
  if (returned.iss !== undefined && client.spec.issuer !== undefined) address.searchParams.set('iss', returned.iss)
  return converse(parts, client, (config) =>
    authorizationCodeGrant(
      config,
      address,
      {
        expectedState: returned.state,
        ...(checks.codeVerifier === null ? {} : { pkceCodeVerifier: checks.codeVerifier }),
      },
      resourceParameters(client.spec),
    ),
  )
}

export const fetchClientCredentials = async (
  parts: Parts,
  client: OauthClient,
  scopes: readonly string[],
): Promise<Tokens> => {
  const { clientCredentialsGrant } = await library()
  return converse(parts, client, (config) =>
    clientCredentialsGrant(config, {
      ...resourceParameters(client.spec),
      ...scopeParameter(client.spec, scopes),
    }),
  )
}

export const refresh = async (parts: Parts, client: OauthClient, refreshToken: string): Promise<Tokens> => {
  const { refreshTokenGrant } = await library()
  const { spec } = client
  const renewing = { ...client, spec: { ...spec, token_endpoint: spec.refresh_endpoint ?? spec.token_endpoint } }
  return converse(parts, renewing, (config) => refreshTokenGrant(config, refreshToken, resourceParameters(client.spec)))
}

/** RFC 7523: a signed assertion instead of user consent. */
export const fetchWithAssertion = async (parts: Parts, client: OauthClient, assertion: string): Promise<Tokens> => {
  const { genericGrantRequest } = await library()
  return converse(parts, client, (config) =>
    genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:jwt-bearer', { assertion }),
  )
}

/** RFC 7009. True when the service revoked the token. */
export const revoke = async (parts: Parts, client: OauthClient, token: string): Promise<boolean> => {
  if (client.spec.revocation_endpoint === undefined) return false
  const { tokenRevocation } = await library()
  try {
    await tokenRevocation(await configure(parts, client), token)
    return true
  } catch {
    return false
  }
}

type Granted = Awaited<ReturnType<typeof import('openid-client').genericGrantRequest>>

const converse = async (
  parts: Parts,
  client: OauthClient,
  grant: (config: Configuration) => Promise<Granted>,
): Promise<Tokens> => {
  const removed: { idToken: string | null } = { idToken: null }
  const config = await configure(parts, client, removed)
  try {
    const { access_token, refresh_token, expires_in, scope, token_type: _type, ...rest } = await grant(config)
    return {
      accessToken: access_token,
      refreshToken: refresh_token ?? null,
      idToken: removed.idToken,
      expiresInSeconds: expires_in ?? null,
      scopes: scope === undefined ? null : scope.split(/\s+/).filter(Boolean),
      answer: { ...rest, ...(removed.idToken === null ? {} : { id_token: removed.idToken }) } as Record<
        string,
        unknown
      >,
    }
  } catch (error) {
    throw await namedFailure(error, client.displayName)
  }
}

/** The service refused the request; any other failure may succeed on retry. */
export const isRefusal = (error: unknown): boolean => isFailure(error, 'invalid_request')

/** The service refused the token itself and not the app, so no retry can succeed. */
export const isTokenDead = (error: unknown): boolean =>
  isFailure(error, 'invalid_request') && error.options.meta?.reason === 'invalid_grant'

const refusalText = /^[a-z0-9_.-]{1,64}$/i

const namedFailure = async (error: unknown, service: string): Promise<Failure> => {
  const outbound = outboundFailureIn(error)
  if (outbound) return outbound
  const { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } = await library()
  if (error instanceof ResponseBodyError) {
    const reason = refusalText.test(error.error) ? error.error : 'an error'
    return fail('invalid_request', { detail: `${service} refused: ${reason}`, meta: { reason } })
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return fail('invalid_request', { detail: `${service} refused: invalid_client`, meta: { reason: 'invalid_client' } })
  const code = error instanceof ClientError ? error.code : undefined
  if (code === 'OAUTH_TIMEOUT') return fail('validation_error', `${service} did not respond in time`)
  return fail('validation_error', {
    detail: `${service} returned a response that is not a token`,
    cause: new Error(code ?? 'unknown'),
  })
}
