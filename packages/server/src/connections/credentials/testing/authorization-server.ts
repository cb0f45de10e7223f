// A real OAuth server on loopback that consents or refuses as the test configures it, and a browser that follows its
// redirects.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type ClientMetadata, type Configuration, type JWK } from 'oidc-provider'

export type AuthorizationServer = {
  readonly address: string
  /** Whether the person in the browser consents. */
  consents: boolean
  /** Grant types of all successful token requests, in order. */
  readonly granted: string[]
  /** Awaited by the token endpoint before it responds. */
  beforeToken: (() => Promise<void>) | null
  /** While set, the token endpoint responds with this status. */
  tokenStatus: number | null
  readonly revoked: number
  /** Revokes one access token. */
  forget(accessToken: string): Promise<void>
  close(): Promise<void>
}

export const clientId = 'millrace-client'
export const clientSecret = 'a secret of the test server'

export type ServerOptions = {
  clients?: ClientMetadata[]
  accessTokenSeconds?: number
  /** The resource that tokens can be requested for (RFC 8707). */
  resource?: string
  configuration?: Partial<Configuration>
}

const callback = /^http:\/\/127\.0\.0\.1:7700\/settings\/secrets\/oauth\//

export const ordinaryClient = (slugs: readonly string[]): ClientMetadata => ({
  client_id: clientId,
  client_secret: clientSecret,
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  redirect_uris: slugs.map((slug) => `http://127.0.0.1:7700/settings/secrets/oauth/${slug}`),
})

export const startAuthorizationServer = async (options: ServerOptions = {}): Promise<AuthorizationServer> => {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  http.unref()
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const granted: string[] = []
  let revoked = 0
  const state: AuthorizationServer = {
    address,
    consents: true,
    granted,
    beforeToken: null,
    tokenStatus: null,
    get revoked() {
      return revoked
    },
    forget: async (accessToken) => {
      await (await provider.AccessToken.find(accessToken))?.destroy()
    },
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const { resource, accessTokenSeconds = 3600 } = options
  const provider = new Provider(address, {
    clients: options.clients ?? [],
    cookies: { keys: ['a key of the test server'] },
    scopes: ['openid', 'profile', 'offline_access', 'read', 'write'],
    claims: { openid: ['sub'], profile: ['name'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: true },
      ...(resource === undefined
        ? {}
        : {
            resourceIndicators: {
              enabled: true,
              getResourceServerInfo: () => ({ scope: 'read write', accessTokenFormat: 'opaque' }),
              useGrantedResource: () => true,
            },
          }),
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    pkce: { required: () => true },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, name: 'Ada' }) }),
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }) as JWK] },
    ttl: {
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      Grant: 86_400,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    ...options.configuration,
  })
  provider.on('grant.success', (ctx) => granted.push(String(ctx.oidc.params?.grant_type)))
  provider.on('access_token.destroyed', () => {
    revoked += 1
  })
  provider.on('refresh_token.destroyed', () => {
    revoked += 1
  })
  const answer = provider.callback()
  http.on('request', (request, response) => {
    const work = async (): Promise<void> => {
      if (request.url === '/token') await state.beforeToken?.()
      if (request.url === '/token' && state.tokenStatus !== null) {
        response.writeHead(state.tokenStatus).end('no')
        return
      }
      await (request.url?.startsWith('/interaction/') ? decide() : answer(request, response))
    }
    work().catch((error: unknown) => response.writeHead(500).end(String(error)))

    async function decide(): Promise<void> {
      const { prompt, params } = await provider.interactionDetails(request, response)
      if (!state.consents) return provider.interactionFinished(request, response, { error: 'access_denied' })
      if (prompt.name === 'login')
        return provider.interactionFinished(request, response, { login: { accountId: 'ada' } })
      const grant = new provider.Grant({ accountId: 'ada', clientId: String(params.client_id) })
      if (params.scope) grant.addOIDCScope(String(params.scope))
      if (resource !== undefined) grant.addResourceScope(resource, 'read write')
      const grantId = await grant.save()
      return provider.interactionFinished(
        request,
        response,
        { consent: { grantId } },
        { mergeWithLastSubmission: true },
      )
    }
  })
  return state
}

/** Follows the sign-in until the server redirects back; returns the parameters of that redirect. */
export const visit = async (authUrl: string): Promise<Record<string, string>> => {
  let address = authUrl
  const jar = new Map<string, string>()
  for (let hops = 0; hops < 12; hops += 1) {
    if (callback.test(address)) return Object.fromEntries(new URL(address).searchParams)
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    address = new URL(response.headers.get('location') ?? `none:${await response.text()}`, address).href
  }
  throw new Error(`The server never redirected back: ${address}`)
}
