// A real OpenID provider on loopback that signs in the person chosen by the test, and a browser that follows its
// redirects.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type JWK } from 'oidc-provider'
import type { World } from '../../../testing/world.ts'
import { cookiesOf } from './sign-in.ts'

export type IssuerAccount = { sub: string; email?: string; email_verified?: boolean | string }

export type Issuer = {
  settings: Record<string, string>
  /** The next person who signs in; null means consent is refused. */
  person: IssuerAccount | null
  close(): Promise<void>
}

const clientId = 'millrace'
const clientSecret = 'a secret of the test issuer'
const keyId = 'the key of the test issuer'

const newKey = (): JWK => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK

/** `liesAboutKey`: it publishes another key than the one it signs with. */
export const startIssuer = async ({ claimsInIdToken = false, liesAboutKey = false } = {}): Promise<Issuer> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: Issuer = {
    settings: { OIDC_ISSUER: address, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
    person: null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const people = new Map<string, IssuerAccount>()
  const provider = new Provider(address, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: ['http://127.0.0.1:7700/auth/oidc/callback'],
        application_type: 'native',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: { keys: ['a key of the test issuer'] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !claimsInIdToken,
    pkce: { required: () => true },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ ...people.get(sub), sub }) }),
    jwks: { keys: [{ ...newKey(), kid: keyId }] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  })
  const answer = provider.callback()
  const { kty, crv, x, y } = newKey()
  const lie = JSON.stringify({ keys: [{ kty, crv, x, y, kid: keyId, use: 'sig' }] })
  server.on('request', (request, response) => {
    if (liesAboutKey && request.url === '/jwks') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(lie)
      return
    }
    const work = request.url?.startsWith('/interaction/') ? decide() : answer(request, response)
    Promise.resolve(work).catch((error: unknown) => response.writeHead(500).end(String(error)))

    async function decide(): Promise<void> {
      const { prompt } = await provider.interactionDetails(request, response)
      const { person } = issuer
      if (person === null) return provider.interactionFinished(request, response, { error: 'access_denied' })
      people.set(person.sub, person)
      if (prompt.name === 'login')
        return provider.interactionFinished(request, response, { login: { accountId: person.sub } })
      const grant = new provider.Grant({ accountId: person.sub, clientId })
      grant.addOIDCScope('openid email profile')
      const grantId = await grant.save()
      return provider.interactionFinished(
        request,
        response,
        { consent: { grantId } },
        { mergeWithLastSubmission: true },
      )
    }
  })
  return issuer
}

export type IssuerRedirect = { query: Record<string, string>; cookie: string }

/** Starts at our sign-in page, signs in at the issuer, and stops at the redirect back to us. */
export const signInAtIssuer = async (
  world: World,
  issuer: Issuer,
  person: IssuerAccount | null,
  redirectTo?: string,
): Promise<IssuerRedirect> => {
  issuer.person = person
  const started = await world.call(
    null,
    'GET /auth/oidc/start',
    redirectTo === undefined ? {} : { query: { redirect_to: redirectTo } },
  )
  let address = String(started.headers.location)
  const jar = new Map<string, string>()
  for (let hops = 0; hops < 12; hops += 1) {
    const target = new URL(address)
    if (target.pathname === '/auth/oidc/callback')
      return { query: Object.fromEntries(target.searchParams), cookie: `oidc_state=${cookiesOf(started).oidc_state}` }
    const response = await fetch(target, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    address = new URL(response.headers.get('location') ?? `none:${await response.text()}`, target).href
  }
  throw new Error(`The issuer never redirected back: ${address}`)
}
