// Guarantees: the sign-in with a real OAuth server, from start to return: code and PKCE, denied consent, a state that
// works once, for ten minutes and for one person; client credentials; consent for more scopes; disconnecting destroys
// the tokens here and at the service.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import {
  type AuthorizationServer,
  ordinaryClient,
  startAuthorizationServer,
  visit,
} from './testing/authorization-server.ts'
import { appValues, connectAt, credentialRow, givenProvider, specFor } from './testing/given.ts'
import { openToken } from './tokens.ts'

const complete = 'POST /credentials/oauth/complete'

let world: World
let server: AuthorizationServer

beforeAll(async () => {
  server = await startAuthorizationServer({
    clients: [ordinaryClient(['mill', 'body', 'shared', 'user-mill', 'robot'])],
  })
  world = await createWorld()
  await givenProvider(world, { slug: 'mill', specs: [specFor(server)] })
  await givenProvider(world, { slug: 'user-mill', specs: [specFor(server)], more: { connection_scope: 'user' } })
})
afterAll(async () => {
  await world?.close()
  await server?.close()
})
beforeEach(() => {
  server.consents = true
})

const begin = async (as: 'owner' | 'member' | 'admin' = 'owner', slug = 'mill', body: object = {}) => {
  const answer = await world.call(as, 'POST /credentials', { body: { provider: slug, type: 'oauth', ...body } })
  expect(answer.status, answer.text).toBe(200)
  return answer.data
}

describe('authorization code with PKCE', () => {
  it('connects: status, scopes, expiry and account follow from what the service says', async () => {
    const begun = await begin()
    expect(begun.credential).toMatchObject({
      provider: 'mill',
      type: 'oauth',
      grant: 'token',
      scope: 'team',
      status: 'pending',
    })
    expect(begun.integration).toEqual(begun.credential)
    expect(begun).not.toHaveProperty('code_verifier')
    const url = new URL(begun.auth_url)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1:7700/settings/secrets/oauth/mill',
      state: begun.state,
      scope: 'openid profile read',
      code_challenge_method: 'S256',
    })
    const returned = await visit(begun.auth_url)
    const answer = await world.call('owner', complete, { body: { provider: 'mill', type: 'oauth', ...returned } })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.data.credential).toMatchObject({
      id: begun.credential.id,
      status: 'connected',
      account_identifier: 'ada',
      account_name: 'Ada',
      scopes: ['openid', 'profile', 'read'],
      expires_at: new Date(world.clock.now().getTime() + 3_600_000).toISOString().replace('Z', '000Z'),
      vault_id: expect.any(String),
      app_credential_id: expect.any(String),
    })
    const row = await credentialRow(world, begun.credential.id)
    const token = await openToken(world.open.platform, row, 'access_token_sealed')
    expect(answer.text).not.toContain(token)
    // The same token at the service is the same person.
    const me = await fetch(`${server.address}/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(await me.json()).toMatchObject({ sub: 'ada' })
    const used = await world.call('member', 'GET /credentials/mill')
    expect(used.data).toMatchObject({ id: begun.credential.id, status: 'connected' })
    const vault = await world.call('owner', 'GET /vaults/default')
    const members = await world.call('owner', `GET /vaults/${vault.data.id}/credentials`)
    expect(members.data.map(({ id }: { id: string }) => id)).toContain(begun.credential.id)
  })

  it('the verifier lies sealed, the state only as a hash', async () => {
    const { state } = await begin('member', 'user-mill')
    const row = await world.open.platform.db.selectFrom('oauth_states').selectAll().executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(state)
    expect(row.code_verifier_sealed?.length).toBeGreaterThan(43)
  })

  it('a state works once', async () => {
    const { auth_url } = await begin()
    const body = { provider: 'mill', type: 'oauth', ...(await visit(auth_url)) }
    expect((await world.call('owner', complete, { body })).status).toBe(200)
    expect(await world.call('owner', complete, { body })).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('ten requests with one state at once: one connects', async () => {
    const { auth_url } = await begin()
    const body = { provider: 'mill', type: 'oauth', ...(await visit(auth_url)) }
    const answers = await Promise.all(Array.from({ length: 10 }, () => world.call('owner', complete, { body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  })

  it('a code that was used before is refused, and the connection says so', async () => {
    const first = await begin('member', 'user-mill')
    const returned = await visit(first.auth_url)
    const spent = await world.call('member', complete, { body: { provider: 'user-mill', ...returned } })
    expect(spent.status, spent.text).toBe(200)
    const second = await begin('admin', 'user-mill')
    const answer = await world.call('admin', complete, {
      body: { provider: 'user-mill', state: second.state, code: returned.code },
    })
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(answer.text).toContain('invalid_grant')
    const row = await credentialRow(world, second.credential.id)
    expect(row).toMatchObject({ status: 'error', error_message: expect.stringContaining('invalid_grant') })
  })

  it('after ten minutes the state is worth nothing', async () => {
    const { auth_url } = await begin('admin', 'user-mill')
    const returned = await visit(auth_url)
    world.clock.advance(10 * 60_000)
    const answer = await world.call('admin', complete, { body: { provider: 'user-mill', type: 'oauth', ...returned } })
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('denied consent: the answer says so, a pending connection ends, a working one goes on', async () => {
    server.consents = false
    const begun = await begin('admin', 'user-mill')
    const returned = await visit(begun.auth_url)
    expect(returned).toMatchObject({ error: 'access_denied', state: begun.state })
    const answer = await world.call('admin', complete, { body: { provider: 'user-mill', type: 'oauth', ...returned } })
    expect(answer).toMatchObject({ status: 400, code: 'access_denied' })
    expect((await credentialRow(world, begun.credential.id)).status).toBe('error')

    const again = await begin('owner', 'mill')
    expect(again.credential.status).toBe('connected')
    const denied = { provider: 'mill', ...(await visit(again.auth_url)) }
    expect(await world.call('owner', complete, { body: denied })).toMatchObject({ code: 'access_denied' })
    expect((await credentialRow(world, again.credential.id)).status).toBe('connected')
  })

  it('a public client gets its verifier, and another one is refused', async () => {
    const slug = 'public-mill'
    const clients = [
      {
        ...ordinaryClient([slug]),
        client_secret: undefined,
        token_endpoint_auth_method: 'none' as const,
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ]
    const open = await startAuthorizationServer({ clients })
    await givenProvider(world, {
      slug,
      specs: [specFor(open, { client_auth: 'none' })],
      more: { client_secret: undefined },
    })
    const begun = await begin('owner', slug)
    expect(begun.code_verifier).toMatch(/^[\w-]{43}$/)
    const wrong = { provider: slug, ...(await visit(begun.auth_url)), code_verifier: 'x'.repeat(43) }
    expect(await world.call('owner', complete, { body: wrong })).toMatchObject({ status: 400, code: 'invalid_request' })
    const retry = await begin('owner', slug)
    const right = { provider: slug, ...(await visit(retry.auth_url)), code_verifier: retry.code_verifier }
    expect((await world.call('owner', complete, { body: right })).status).toBe(200)
    await open.close()
  })

  it('the client may prove itself in the body', async () => {
    const posting = await startAuthorizationServer({
      clients: [{ ...ordinaryClient(['body']), token_endpoint_auth_method: 'client_secret_post' }],
    })
    await givenProvider(world, { slug: 'body', specs: [specFor(posting, { client_auth: 'body' })] })
    expect((await connectAt(world, 'owner', 'body')).status).toBe('connected')
    await posting.close()
  })
})

describe('whose connection', () => {
  it('each person has their own, and is given their own', async () => {
    const mine = await connectAt(world, 'member', 'user-mill')
    const others = await connectAt(world, 'admin', 'user-mill')
    expect(mine.id).not.toBe(others.id)
    expect((await world.call('member', 'GET /credentials/user-mill')).data.id).toBe(mine.id)
    expect((await world.call('admin', 'GET /credentials/user-mill')).data.id).toBe(others.id)
    expect((await world.call('owner', 'GET /credentials/user-mill')).status).toBe(404)
  })

  it('connecting again renews the same connection', async () => {
    const first = await connectAt(world, 'member', 'user-mill')
    const again = await connectAt(world, 'member', 'user-mill')
    expect(again.id).toBe(first.id)
  })

  it('a shared app of the platform serves every workspace, until one brings its own', async () => {
    await world.call('platform', 'POST /auth-providers', {
      body: { slug: 'shared', display_name: 'Shared', scope: 'platform', specs: [specFor(server)] },
    })
    const without = await world.call('owner', 'POST /credentials', { body: { provider: 'shared', type: 'oauth' } })
    expect(without).toMatchObject({ status: 400, code: 'validation_error' })
    expect(without.json.meta).toMatchObject({ keys: ['SHARED_CLIENT_ID', 'SHARED_CLIENT_SECRET'] })
    const set = await world.call('platform', 'PUT /credentials/shared/app', {
      body: { values: appValues('shared'), scope: 'platform' },
    })
    expect(set.data).toMatchObject({ grant: 'credentials', scope: 'platform', status: 'connected' })
    expect((await connectAt(world, 'owner', 'shared')).status).toBe('connected')
    expect((await connectAt(world, 'stranger', 'shared')).status).toBe('connected')
    const own = await world.call('owner', 'PUT /credentials/shared/app', { body: { values: appValues('shared') } })
    expect(own.data).toMatchObject({ grant: 'credentials', scope: 'team', team_id: world.team.id })
    const config = (await world.call('owner', 'GET /credentials/configs')).data.find(
      ({ slug }: { slug: string }) => slug === 'shared',
    )
    expect(config).toMatchObject({
      available: true,
      has_managed: true,
      app: { id: own.data.id },
      credential: { status: 'connected' },
    })
  })
})

describe('client credentials', () => {
  it('connect at once and renew without a refresh token', async () => {
    const spec = specFor(server, { flow: 'client_credentials', scopes: ['read'], userinfo_url: undefined })
    await givenProvider(world, { slug: 'robot', specs: [spec] })
    const answer = await world.call('owner', 'POST /credentials', { body: { provider: 'robot', type: 'oauth' } })
    expect(answer.data.credential, answer.text).toMatchObject({ status: 'connected', scopes: ['read'] })
    expect(answer.data).not.toHaveProperty('auth_url')
    expect((await credentialRow(world, answer.data.credential.id)).refresh_token_sealed).toBeNull()
  })

  it('a wrong secret is refused at once, and nothing is left behind', async () => {
    const spec = specFor(server, { flow: 'client_credentials' })
    await givenProvider(world, { slug: 'wrong', specs: [spec], more: { client_secret: 'not-the-secret' } })
    const answer = await world.call('owner', 'POST /credentials', { body: { provider: 'wrong', type: 'oauth' } })
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' })
    expect((await world.call('owner', 'GET /credentials/wrong')).status).toBe(404)
  })
})

describe('further scopes', () => {
  it('asks for what was granted and what is wanted besides; the connection works meanwhile', async () => {
    const connected = await connectAt(world, 'owner', 'mill')
    const asked = await world.call('owner', 'POST /credentials/mill/scopes', { body: { scopes: ['write', 'read'] } })
    expect(asked.data.credential).toMatchObject({ id: connected.id, status: 'connected', scopes: connected.scopes })
    expect(new URL(asked.data.auth_url).searchParams.get('scope')).toBe('openid profile read write')
    const done = await world.call('owner', complete, {
      body: { provider: 'mill', ...(await visit(asked.data.auth_url)) },
    })
    expect(done.data.credential.scopes).toEqual(['openid', 'profile', 'read', 'write'])
  })
})

describe('disconnecting', () => {
  it('destroys the tokens here and at the service, leaves the vault, and can be undone by connecting', async () => {
    const { id } = await connectAt(world, 'member', 'user-mill')
    const before = await credentialRow(world, id)
    const token = await openToken(world.open.platform, before, 'access_token_sealed')
    const revokedBefore = server.revoked
    expect((await world.call('member', 'DELETE /credentials/user-mill')).data).toEqual({ success: true })
    const row = await credentialRow(world, id)
    expect(row).toMatchObject({
      status: 'disconnected',
      access_token_sealed: null,
      refresh_token_sealed: null,
      id_token_sealed: null,
      vault_id: null,
    })
    const links = await world.open.platform.db
      .selectFrom('vault_credentials')
      .selectAll()
      .where('credential_id', '=', id)
      .execute()
    expect(links).toEqual([])
    expect(server.revoked).toBeGreaterThan(revokedBefore)
    const me = await fetch(`${server.address}/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(me.status).toBe(401)
    expect((await world.call('member', 'GET /credentials/user-mill')).status).toBe(404)
    expect((await world.call('member', `GET /credentials/${id}`)).data.status).toBe('disconnected')
    expect(await connectAt(world, 'member', 'user-mill')).toMatchObject({ id, status: 'connected' })
  })

  it('a sign-in under way ends with it', async () => {
    const begun = await begin('member', 'user-mill')
    const returned = await visit(begun.auth_url)
    await world.call('member', 'DELETE /credentials/user-mill')
    const late = await world.call('member', complete, { body: { provider: 'user-mill', ...returned } })
    expect(late).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('a service that cannot be reached does not keep the connection', async () => {
    const gone = await startAuthorizationServer({ clients: [ordinaryClient(['gone'])] })
    await givenProvider(world, { slug: 'gone', specs: [specFor(gone)] })
    await connectAt(world, 'owner', 'gone')
    await gone.close()
    expect((await world.call('owner', 'DELETE /credentials/gone')).data).toEqual({ success: true })
  })
})
