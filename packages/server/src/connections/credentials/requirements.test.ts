// Guarantees: unmet requirements of an app are named with the step that helps, a run gets the first connection in order
// of precedence that has everything, its values have the required names, and the fingerprint changes exactly when a
// value does.
import type { CredentialRequirement } from '@millrace/contract/apps'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { unmetRequirements } from './requirements.ts'
import { requestAuth, runCredentials, runCredentialsFingerprint } from './service.ts'
import { findById, findReachable } from './store.ts'
import { type CustomOauthServer, startCustomOauthServer } from './testing/custom-oauth-server.ts'
import { connectAt, credentialRow, givenProvider, specFor } from './testing/given.ts'

let world: World
let odd: CustomOauthServer
let tokens = 0

beforeAll(async () => {
  odd = await startCustomOauthServer()
  odd.answer = () => ({
    body: {
      access_token: `at-${++tokens}`,
      refresh_token: 'rt',
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'read',
    },
  })
  world = await createWorld()
  const plain = { userinfo_url: undefined, revocation_endpoint: undefined, scopes: ['read'] }
  await givenProvider(world, { slug: 'crm', specs: [specFor(odd, plain)], more: { website: 'crm.example' } })
  await givenProvider(world, { slug: 'desk', specs: [{ kind: 'http', scheme: 'basic' }] })
  await givenProvider(world, { slug: 'asks', specs: [{ kind: 'api_key', in: 'query', name: 'key' }] })
})
afterAll(async () => {
  await world?.close()
  await odd?.close()
})

const holder = (who: 'owner' | 'member' | 'admin' = 'member') => ({
  teamId: world.team.id,
  userId: world.people[who].userId,
})

const unmet = (credentials: CredentialRequirement[], secrets: { key: string; optional?: boolean }[] = []) =>
  unmetRequirements(world.open.platform, holder(), { required_secrets: secrets, required_credentials: credentials })

const run = (required: CredentialRequirement[], who: 'owner' | 'member' | 'admin' = 'member') =>
  runCredentials(world.open.platform, world.team.id, world.people[who].userId, required)

const connectKey = async (as: As, provider: string, api_key: string, more: object = {}): Promise<string> => {
  const answer = await world.call(as, 'POST /credentials', { body: { provider, type: 'api_key', api_key, ...more } })
  expect(answer.status, answer.text).toBe(200)
  return answer.data.credential.id
}

describe('what is missing', () => {
  it('nothing, when nothing is asked', async () => {
    expect(await unmet([])).toEqual([])
    expect(await unmet([{ provider: 'cohere', optional: true }], [{ key: 'X', optional: true }])).toEqual([])
  })

  it('a secret', async () => {
    expect(await unmet([], [{ key: 'MY_OWN' }])).toEqual([
      {
        type: 'secret',
        key: 'MY_OWN',
        message: 'The secret MY_OWN is missing',
        action: { type: 'add_secret', secrets: ['MY_OWN'] },
      },
    ])
  })

  it('decrypts nothing', async () => {
    expect((await world.call('owner', 'POST /secrets', { body: { key: 'PRESENT', value: 'v' } })).status).toBe(200)
    const open = () => {
      throw new Error('A check must not decrypt')
    }
    const { db, keyring } = world.open.platform
    const reader = { db, keyring: { ...keyring, open } }
    const required = { required_secrets: [{ key: 'PRESENT' }, { key: 'ABSENT' }] }
    expect(await unmetRequirements(reader, holder(), required)).toMatchObject([{ key: 'ABSENT' }])
  })

  it('a connection, by the newer name or the older', async () => {
    const expected = [
      {
        type: 'integration',
        key: 'crm',
        message: 'The crm is not connected',
        action: {
          type: 'connect',
          provider: 'crm',
          provider_name: 'The crm',
          provider_website: 'https://crm.example',
          scopes: ['read'],
        },
      },
    ]
    expect(await unmet([{ provider: 'crm', scopes: ['read'] }])).toEqual(expected)
    expect(await unmet([{ key: 'crm', scopes: ['read'] }])).toEqual(expected)
  })

  it('a connection to somebody nobody lists', async () => {
    expect(
      await unmet([{ provider: 'acme', name: 'Acme', website: 'https://acme.example', secrets: ['ACME_KEY'] }]),
    ).toEqual([
      {
        type: 'integration',
        key: 'acme',
        message: 'Acme is not connected',
        action: {
          type: 'connect',
          provider: 'acme',
          provider_name: 'Acme',
          provider_website: 'https://acme.example',
          secrets: ['ACME_KEY'],
        },
      },
    ])
  })

  it('a scope that was not granted', async () => {
    await connectAt(world, 'owner', 'crm')
    expect(await unmet([{ provider: 'crm', scopes: ['read'] }])).toEqual([])
    expect(await unmet([{ provider: 'crm', scopes: ['read', 'write'] }])).toMatchObject([
      { type: 'scope', key: 'crm', action: { type: 'add_scopes', provider: 'crm', scopes: ['write'] } },
    ])
  })

  it('one of several names', async () => {
    await connectKey('owner', 'desk', 'ada:pw')
    expect(await unmet([{ provider: 'desk', secrets: [{ key: 'DESK_USERNAME' }, 'DESK_PASSWORD'] }])).toEqual([])
    expect(await unmet([{ provider: 'desk', secrets: ['DESK_USERNAME', 'DESK_OTHER'] }])).toMatchObject([
      { type: 'integration', message: 'The desk is connected without DESK_OTHER', action: { secrets: ['DESK_OTHER'] } },
    ])
  })

  it('a connection that has expired or was ended', async () => {
    const id = await connectKey('owner', 'cohere', 'k')
    expect(await unmet([{ provider: 'cohere' }])).toEqual([])
    await world.open.platform.db.updateTable('credentials').set({ status: 'expired' }).where('id', '=', id).execute()
    expect(await unmet([{ provider: 'cohere' }])).toMatchObject([{ type: 'integration', key: 'cohere' }])
  })
})

describe('what a run gets', () => {
  it('a sign-in’s token under <SLUG>_ACCESS_TOKEN', async () => {
    const { values, missing } = await run([{ provider: 'crm' }])
    expect(values).toEqual({ CRM_ACCESS_TOKEN: expect.stringMatching(/^at-/) })
    expect(missing).toEqual([])
  })

  it('a key’s values by the names that were asked for, all of them when none was', async () => {
    expect((await run([{ provider: 'desk', secrets: ['DESK_PASSWORD'] }])).values).toEqual({ DESK_PASSWORD: 'pw' })
    expect((await run([{ provider: 'desk' }])).values).toEqual({ DESK_USERNAME: 'ada', DESK_PASSWORD: 'pw' })
  })

  it('one’s own before the workspace’s; nobody else’s own', async () => {
    await connectKey('owner', 'openai', 'sk-shared')
    await connectKey('member', 'openai', 'sk-mine', { connection_scope: 'user' })
    const openai = [{ provider: 'openai' }]
    expect((await run(openai, 'member')).values).toEqual({ OPENAI_API_KEY: 'sk-mine' })
    expect((await run(openai, 'admin')).values).toEqual({ OPENAI_API_KEY: 'sk-shared' })
  })

  it('missing requirements are reported, unless optional', async () => {
    const { values, missing } = await run([{ provider: 'github' }, { provider: 'gitlab', optional: true }])
    expect({ values, missing }).toEqual({ values: {}, missing: ['github'] })
  })

  it('a token that is about to end is renewed first', async () => {
    const before = (await run([{ provider: 'crm' }])).values.CRM_ACCESS_TOKEN
    world.clock.advance(56 * 60_000)
    const after = (await run([{ provider: 'crm' }])).values.CRM_ACCESS_TOKEN
    expect(after).toMatch(/^at-/)
    expect(after).not.toBe(before)
  })

  it('one that cannot be renewed counts as missing', async () => {
    const { answer } = odd
    odd.answer = () => ({ status: 400, body: { error: 'invalid_grant' } })
    world.clock.advance(56 * 60_000)
    expect(await run([{ provider: 'crm' }])).toMatchObject({ values: {}, missing: ['crm'] })
    odd.answer = answer
    await connectAt(world, 'owner', 'crm')
  })
})

describe('the fingerprint', () => {
  const required = [{ provider: 'crm' }, { provider: 'desk' }]

  it('stays while nothing changes, and is the same without opening anything', async () => {
    const { fingerprint } = await run(required)
    expect((await run(required)).fingerprint).toBe(fingerprint)
    const { teamId, userId } = holder()
    expect(await runCredentialsFingerprint(world.open.platform, teamId, userId, required)).toBe(fingerprint)
  })

  it('changes with a secret’s value, with a token, and with the connection', async () => {
    const seen = [(await run(required)).fingerprint]
    await world.call('owner', 'PUT /secrets/DESK_PASSWORD', { body: { value: 'other' } })
    seen.push((await run(required)).fingerprint)
    world.clock.advance(56 * 60_000)
    seen.push((await run(required)).fingerprint)
    await connectKey('member', 'desk', 'me:mine', { connection_scope: 'user' })
    seen.push((await run(required)).fingerprint)
    expect(new Set(seen).size).toBe(4)
  })
})

describe('the order of scopes', () => {
  it('agent, user, team, organization, platform', async () => {
    const { db } = world.open.platform
    const org = (await world.call('platform', 'POST /organizations', { body: { name: 'Guild', username: 'guild' } }))
      .data
    await world.call('platform', `POST /organizations/${org.id}/teams`, { body: { team_id: world.team.id } })
    const platformTeam = await db
      .selectFrom('teams')
      .select('id')
      .where('is_platform', '=', true)
      .executeTakeFirstOrThrow()
    await addMember(world.ctx(), org.team_id, world.people.owner.userId, 'admin')
    const connect = async (as: As, connection_scope: string, team?: string) => {
      const body = { provider: 'groq', type: 'api_key', api_key: 'k', connection_scope }
      const answer = await world.call(as, 'POST /credentials', { body, ...(team ? { team } : {}) })
      expect(answer.status, answer.text).toBe(200)
      return answer.data.credential.id as string
    }
    const platform = await connect('platform', 'platform', platformTeam.id)
    const organization = await connect('platform', 'org', org.team_id)
    const team = await connect('owner', 'team')
    const user = await connect('member', 'user')
    const row = await credentialRow(world, team)
    const agent = 'agentagentagentagentagent0'
    await db
      .insertInto('credentials')
      .values({
        id: agent,
        team_id: row.team_id,
        user_id: row.user_id,
        provider: 'groq',
        type: 'oauth',
        scope: 'agent',
        status: 'connected',
        metadata: JSON.stringify({ agent_id: 'a1' }),
      })
      .execute()
    const order = async (agentId?: string) =>
      (await findReachable(db, { ...holder(), agentId }, 'groq')).map(({ id }) => id)
    expect(await order('a1')).toEqual([agent, user, team, organization, platform])
    expect(await order()).toEqual([user, team, organization, platform])
    // A workspace outside the organization inherits only from the platform.
    expect((await world.call('stranger', 'GET /credentials/groq')).data.id).toBe(platform)
    // Credentials of the organization and the platform do not use vaults.
    const links = await db.selectFrom('vault_credentials').select('credential_id').execute()
    const linked = links.map(({ credential_id }) => credential_id)
    expect(linked).toEqual(expect.arrayContaining([team, user]))
    expect(linked).not.toContain(organization)
    expect(linked).not.toContain(platform)
    // Broken connections are skipped.
    await db.updateTable('credentials').set({ status: 'expired' }).where('id', '=', user).execute()
    expect((await order())[0]).toBe(team)
  })
})

describe('signing requests', () => {
  const authOf = async (id: string) => {
    const row = await findById(world.open.platform.db, id)
    if (!row) throw new Error('no such row')
    return (await requestAuth(world.open.platform, row)).auth
  }

  it.each([
    ['openai', 'sk-1', { headers: { authorization: 'Bearer sk-1' }, query: {} }],
    ['anthropic', 'sk-2', { headers: { 'x-api-key': 'sk-2' }, query: {} }],
    ['asks', 'q', { headers: {}, query: { key: 'q' } }],
    ['desk', 'a:b', { headers: { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }, query: {} }],
  ])('%s', async (provider, key, expected) => {
    expect(await authOf(await connectKey('admin', provider, key, { connection_scope: 'user' }))).toEqual(expected)
  })

  it('a sign-in', async () => {
    const { id } = await connectAt(world, 'owner', 'crm')
    expect(await authOf(id)).toEqual({ headers: { authorization: expect.stringMatching(/^Bearer at-/) }, query: {} })
  })
})
