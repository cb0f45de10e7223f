// Guarantees: tokens are sent only to the addresses where their owner signed in. An admin who changes the addresses of
// a provider of the workspace, or the domain of its OAuth app, does not receive them.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { renewEnding } from './refresh.ts'
import {
  type AuthorizationServer,
  ordinaryClient,
  startAuthorizationServer,
  visit,
} from './testing/authorization-server.ts'
import { appValues, connectAt, credentialRow, givenProvider, specFor } from './testing/given.ts'

let world: World
let server: AuthorizationServer
let elsewhere: Server
let elsewhereUrl: string
const received: string[] = []

const slugs = ['moved', 'begun', 'revoked', 'renamed', 'tenanted']

beforeAll(async () => {
  server = await startAuthorizationServer({ clients: [ordinaryClient(slugs)], accessTokenSeconds: 3600 })
  elsewhere = createServer((request, response) => {
    request.on('data', (chunk) => received.push(String(chunk)))
    request.on('end', () => response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"no"}'))
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  world = await createWorld()
})
afterAll(async () => {
  await world?.close()
  await server?.close()
  elsewhere?.close()
})

const personal = { connection_scope: 'user' }
const givenPersonal = (made: { slug: string; specs: object[] }) => givenProvider(world, { ...made, more: personal })

const change = async (id: string, specs: object[], more: object = {}) => {
  const answer = await world.call('admin', `PUT /auth-providers/${id}`, { body: { specs, ...more } })
  expect(answer.status, answer.text).toBe(200)
}

const gone = { status: 'disconnected', access_token_sealed: null, refresh_token_sealed: null, id_token_sealed: null }

it('a provider that leads elsewhere takes no connection of a member along', async () => {
  const provider = await givenPersonal({ slug: 'moved', specs: [specFor(server)] })
  const { id } = await connectAt(world, 'member', 'moved')
  const revoked = server.revoked
  await change(provider, [specFor(server, { token_endpoint: `${elsewhereUrl}/token` })])
  world.clock.advance(58 * 60_000)
  await renewEnding(world.open.platform)
  expect(received).toEqual([])
  expect(await credentialRow(world, id)).toMatchObject(gone)
  // The service that issued the tokens is asked to revoke them.
  expect(server.revoked).toBeGreaterThan(revoked)
})

it('a sign-in under way does not end elsewhere', async () => {
  const provider = await givenPersonal({ slug: 'begun', specs: [specFor(server)] })
  const body = { provider: 'begun', type: 'oauth' }
  const begun = await world.call('member', 'POST /credentials', { body })
  const returned = await visit(begun.data.auth_url)
  await change(provider, [specFor(server, { token_endpoint: `${elsewhereUrl}/token` })])
  const done = await world.call('member', 'POST /credentials/oauth/complete', { body: { ...body, ...returned } })
  expect(done.status, done.text).toBe(400)
  expect(received).toEqual([])
})

it('nor are tokens taken back elsewhere', async () => {
  const provider = await givenPersonal({ slug: 'revoked', specs: [specFor(server)] })
  const { id } = await connectAt(world, 'member', 'revoked')
  await change(provider, [specFor(server, { revocation_endpoint: `${elsewhereUrl}/revoke` })])
  await world.call('member', `DELETE /credentials/${id}`)
  expect(received).toEqual([])
})

it('a change of texts, scopes or the client alone leaves connections as they are', async () => {
  const provider = await givenPersonal({ slug: 'renamed', specs: [specFor(server)] })
  const { id } = await connectAt(world, 'member', 'renamed')
  await change(provider, [specFor(server, { scopes: ['openid'] })], { display_name: 'Another name' })
  expect(await credentialRow(world, id)).toMatchObject({ status: 'connected' })
})

it('another tenant in the app is another place', async () => {
  const { port } = new URL(server.address)
  const spec = specFor(server, { vars: 'tenant', refresh_endpoint: `http://127.0.0.1:${port}/{tenant}` })
  await givenPersonal({ slug: 'tenanted', specs: [spec] })
  const setTenant = async (tenant: string) => {
    const values = { ...appValues('tenanted'), TENANTED_TENANT: tenant }
    const answer = await world.call('admin', 'PUT /credentials/tenanted/app', { body: { values } })
    expect(answer.status, answer.text).toBe(200)
  }
  await setTenant('token')
  const { id } = await connectAt(world, 'member', 'tenanted')
  await setTenant('token')
  expect(await credentialRow(world, id)).toMatchObject({ status: 'connected' })
  await setTenant('evil')
  expect(await credentialRow(world, id)).toMatchObject(gone)
})
