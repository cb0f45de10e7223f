// A real OAuth server on loopback that consents or refuses as the test says and records every issued token, and a
// browser that follows its redirects.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type JWK } from 'oidc-provider'

export type OauthServer = {
  /** True if the person at the browser agrees. */
  consents: boolean
  readonly address: string
  readonly client: { client_id: string; client_secret: string }
  /** Every access and refresh token, as sent. */
  readonly tokens: ReadonlySet<string>
  readonly grants: readonly string[]
  close(): Promise<void>
}

const client = { client_id: 'millrace-e2e', client_secret: 'the+secret/of the e2e "client" 4711' }

export const startOauthServer = async (slug: string, accessTokenSeconds: number): Promise<OauthServer> => {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const tokens = new Set<string>()
  const grants: string[] = []
  const provider = new Provider(address, {
    clients: [
      {
        ...client,
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`http://127.0.0.1/settings/secrets/oauth/${slug}`],
      },
    ],
    cookies: { keys: ['a key of the e2e server'] },
    scopes: ['openid', 'read', 'write'],
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    pkce: { required: () => true },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }) as JWK] },
    ttl: { AccessToken: accessTokenSeconds, RefreshToken: 86_400, Grant: 86_400, Interaction: 600, Session: 600 },
  })
  provider.on('grant.success', (ctx) => {
    grants.push(String(ctx.oidc.params?.grant_type))
    const { access_token, refresh_token } = ctx.body as Record<string, unknown>
    for (const token of [access_token, refresh_token]) if (typeof token === 'string') tokens.add(token)
  })
  const server: OauthServer = {
    consents: true,
    address,
    client,
    tokens,
    grants,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const answer = provider.callback()
  http.on('request', (request, response) => {
    const work = request.url?.startsWith('/interaction/') ? consent() : answer(request, response)
    Promise.resolve(work).catch((error: unknown) => response.writeHead(500).end(String(error)))

    async function consent(): Promise<void> {
      if (!server.consents) return provider.interactionFinished(request, response, { error: 'access_denied' })
      const { prompt, params } = await provider.interactionDetails(request, response)
      if (prompt.name === 'login')
        return provider.interactionFinished(request, response, { login: { accountId: 'ada' } })
      const grant = new provider.Grant({ accountId: 'ada', clientId: String(params.client_id) })
      grant.addOIDCScope(String(params.scope))
      const result = { consent: { grantId: await grant.save() } }
      return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
    }
  })
  return server
}

/** Follows a sign-in until the browser is redirected to one of our pages; returns the parameters. */
export const signInAt = async (authUrl: string): Promise<{ code: string; state: string }> => {
  let address = authUrl
  const jar = new Map<string, string>()
  for (let hops = 0; hops < 12; hops += 1) {
    const { pathname, searchParams } = new URL(address)
    if (pathname.startsWith('/settings/secrets/oauth/'))
      return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' }
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    address = new URL(response.headers.get('location') ?? `none:${await response.text()}`, address).href
  }
  throw new Error(`The browser was never sent back: ${address}`)
}
