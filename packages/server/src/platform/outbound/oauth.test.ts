// Guarantees: the OAuth library works with a real provider through the guarded fetch and connects nowhere else.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createOutbound } from './client.ts'
import { outboundReason } from './failures.ts'
import { asFetch } from './fetch.ts'
import { parsePrivateHosts } from './policy.ts'

let server: Server
let issuer: URL
const open = createOutbound({ allow: parsePrivateHosts('').allow, loopbackAllowed: true, ownPorts: [] })
const closed = createOutbound({ allow: parsePrivateHosts('').allow, loopbackAllowed: false, ownPorts: [] })

beforeAll(async () => {
  server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  issuer = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const provider = new Provider(issuer.origin, {
    clients: [
      {
        client_id: 'c',
        client_secret: 's',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  })
  server.on('request', provider.callback())
})

afterAll(async () => {
  await Promise.all([open.close(), closed.close()])
  server.closeAllConnections()
  server.close()
})

const discover = (guardedFetch: typeof fetch, secret = 's') =>
  openid.discovery(issuer, 'c', secret, undefined, {
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: guardedFetch,
  })

it('discovers and gets a token through the guard', async () => {
  const tokens = await openid.clientCredentialsGrant(await discover(asFetch(open)))
  expect(tokens.token_type).toBe('bearer')
})

it('returns the provider’s refusal', async () => {
  const config = await discover(asFetch(open), 'wrong')
  await expect(openid.clientCredentialsGrant(config)).rejects.toMatchObject({ error: 'invalid_client' })
})

it('is refused by the guard with a reason', async () => {
  const error: unknown = await discover(asFetch(closed)).catch((thrown: unknown) => thrown)
  expect(outboundReason(error)).toBe('refused')
})
