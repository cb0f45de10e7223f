// Guarantees: the provider of a server in the directory is shared by every workspace and uses only the directory's
// data; a workspace's data about the server stays in that workspace.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clientIdKeyOf } from '@millrace/contract/providers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '#connections/credentials/testing/authorization-server.ts'
import { internalSecretValue } from '#connections/secrets/service.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
let site: Server
let address: string
let signIn: AuthorizationServer

beforeAll(async () => {
  world = await createWorld()
  site = createServer((request, response) => {
    if (request.method === 'POST') return response.writeHead(401).end()
    const isDescribed = request.url?.startsWith('/.well-known/oauth-protected-resource/') === true
    const document = { resource: `${address}/mcp`, authorization_servers: [signIn.address], scopes_supported: ['read'] }
    response.writeHead(isDescribed ? 200 : 404, { 'content-type': 'application/json' })
    return response.end(JSON.stringify(isDescribed ? document : {}))
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  signIn = await startAuthorizationServer({ resource: `${address}/mcp` })
})
afterAll(async () => {
  await world?.close()
  site?.closeAllConnections()
  site?.close()
  await signIn?.close()
})

/** Adds an entry like Linear's to the directory. */
const listAs = async (slug: string, serverUrl: string) => {
  const { db } = world.open.platform
  await db.updateTable('mcp_directory').set({ server_url: serverUrl }).where('slug', '=', slug).execute()
}

const providersOf = (serverUrl: string) =>
  world.open.platform.db.selectFrom('auth_providers').selectAll().where('mcp_server_url', '=', serverUrl).execute()

it('the first workspace to register a listed server does not define how others sign in to it', async () => {
  const serverUrl = `${address}/mcp`
  await listAs('linear', serverUrl)
  const body = { name: 'Mine', slug: 'mine', title: 'Send me your key', server_url: serverUrl, auth_type: 'api_key' }
  const made = await world.call('stranger', 'POST /mcp-servers', {
    body: { ...body, oauth_client_id: 'client-of-a-stranger', default_scopes: ['everything'] },
  })
  expect(made.status, made.text).toBe(200)
  expect(made.data).toMatchObject({ title: 'Send me your key', auth_type: 'oauth', default_scopes: ['everything'] })
  const [provider, ...others] = await providersOf(serverUrl)
  expect(others).toEqual([])
  expect(provider).toMatchObject({ slug: 'linear-mcp', scope: 'platform', display_name: 'Linear' })
  expect(provider?.specs).toMatchObject([{ kind: 'oauth2', scopes: ['read'] }])

  const begun = await world.call('member', 'POST /credentials', { body: { provider: 'linear-mcp', type: 'mcp' } })
  expect(begun.status, begun.text).toBe(200)
  const asked = new URL(begun.data.auth_url).searchParams
  expect(asked.get('client_id')).not.toBe('client-of-a-stranger')
  expect(asked.get('scope')).not.toContain('everything')
})

it('a workspace’s own OAuth client for a listed server is used only by that workspace', async () => {
  const { platform } = world.open
  expect(await internalSecretValue(platform, world.otherTeam.id, clientIdKeyOf('linear-mcp'))).toBe(
    'client-of-a-stranger',
  )
  expect(await internalSecretValue(platform, world.team.id, clientIdKeyOf('linear-mcp'))).toBeNull()
})
