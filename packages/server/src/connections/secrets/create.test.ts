// Guarantees: each rule of creating a secret (numbered as in [secrets 1]) with each of its errors; a value is never
// lost and never stored as something else.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { credentialRow, freshKey, freshSlug, givenOrganization, givenSecret, platformTeamId } from './testing/given.ts'

const value = 'a-value-of-some-length-1234'

/** A provider that the workspace has created itself; created once. */
const givenOwnProvider = (world: World) =>
  world.call('owner', 'POST /auth-providers', {
    body: {
      slug: 'own-press',
      display_name: 'The own press',
      specs: [{ kind: 'api_key' }],
      connection_scope: 'user',
    },
  })

const givenTaken = async (world: World) => {
  await givenOwnProvider(world)
  return givenSecret(world, { description: 'taken' })
}

scenarios('secrets.create', givenTaken, [
  {
    claim: 'rule 6: the answer is the secret, masked',
    as: 'admin',
    body: () => ({ key: freshKey(), value, description: 'for printing' }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: ({ data, text }, _given, world) => {
      expect(data).toMatchObject({
        masked_value: '****1234',
        description: 'for printing',
        scope: 'team',
        team_id: world.team.id,
        user_id: world.people.admin.userId,
        version: 1,
      })
      expect(data).not.toHaveProperty('credential_id')
      expect(text).not.toContain(value)
    },
  },
  {
    claim: 'rule 4: a new secret is in the default vault',
    as: 'admin',
    body: () => ({ key: freshKey(), value }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      const vault = (await world.call('member', 'GET /vaults/default')).data
      const inside = (await world.call('member', `GET /vaults/${vault.id}/secrets`)).data
      expect(inside.map((secret: { id: string }) => secret.id)).toContain(data.id)
    },
  },
  {
    claim: 'without a connection_scope, a provider of the workspace’s own gives its default and its name',
    as: 'admin',
    body: () => ({ key: freshKey(), value, provider: 'own-press' }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      expect(await credentialRow(world, data.credential_id)).toMatchObject({
        user_id: world.people.admin.userId,
        scope: 'user',
        visibility: 'private',
        display_name: 'The own press',
        status: 'connected',
      })
    },
  },
  {
    claim: 'rule 1: a listed provider’s credential is made and connected, named by the platform',
    as: 'admin',
    body: () => ({
      key: freshKey(),
      value,
      provider: 'openai',
      provider_name: 'Mine',
      provider_website: 'no site',
    }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      expect(await credentialRow(world, data.credential_id)).toMatchObject({
        provider: 'openai',
        type: 'api_key',
        grant: 'token',
        scope: 'team',
        status: 'connected',
        display_name: 'OpenAI',
        metadata: {},
        team_id: world.team.id,
      })
    },
  },
  {
    claim: 'rule 1: an unlisted provider’s credential is an api_key one named by provider_name',
    as: 'admin',
    body: () => ({
      key: freshKey(),
      value,
      provider: freshSlug(),
      provider_name: 'Acme',
      provider_website: 'www.acme.example',
    }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      expect(await credentialRow(world, data.credential_id)).toMatchObject({
        type: 'api_key',
        status: 'connected',
        display_name: 'Acme',
        scope: 'team',
        metadata: { website: 'https://acme.example' },
      })
    },
  },
  {
    claim: 'a provider’s credential is joined, not made twice, and is in the default vault',
    as: 'admin',
    body: () => ({ key: freshKey(), value, provider: 'cohere' }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      const again = await world.call('admin', 'POST /secrets', { body: { key: freshKey(), value, provider: 'cohere' } })
      expect(again.data.credential_id).toBe(data.credential_id)
      const vault = (await world.call('member', 'GET /vaults/default')).data
      const inside = (await world.call('member', `GET /vaults/${vault.id}/credentials`)).data
      expect(inside.filter((one: { id: string }) => one.id === data.credential_id)).toMatchObject([
        { provider: 'cohere', status: 'connected', is_primary: true },
      ])
      expect((await credentialRow(world, data.credential_id))?.vault_id).toBe(vault.id)
    },
  },
  {
    claim: 'rule 2: a standard key name is linked by itself',
    as: 'admin',
    body: { key: 'GROQ_API_KEY', value },
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      expect(await credentialRow(world, data.credential_id)).toMatchObject({ provider: 'groq', status: 'connected' })
    },
  },
  {
    claim: 'rule 2: the names of an OAuth app’s own fields are not inferred',
    as: 'admin',
    body: { key: 'GITHUB_CLIENT_ID', value },
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: ({ data }) => expect(data).not.toHaveProperty('credential_id'),
  },
  {
    claim: 'the provider’s default connection scope is taken when none is given',
    as: 'admin',
    body: { key: 'GITHUB_TOKEN', value, connection_scope: '' },
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      expect(await credentialRow(world, data.credential_id)).toMatchObject({
        provider: 'github',
        scope: 'user',
        user_id: world.people.admin.userId,
        visibility: 'private',
      })
    },
  },
  {
    claim: 'a connection scope that is given wins over the default',
    as: 'admin',
    body: () => ({ key: freshKey(), value, provider: 'mistral', connection_scope: 'user' }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      expect(await credentialRow(world, data.credential_id)).toMatchObject({ provider: 'mistral', scope: 'user' })
    },
  },
  {
    claim: 'rule 3: an invalid provider slug fails, and nothing is saved',
    as: 'admin',
    body: { key: 'NEVER_SAVED', value, provider: 'Not--A-Slug' },
    status: 400,
    code: 'validation_error',
    check: async (_answer, _given, world) => {
      expect((await world.call('admin', 'GET /secrets/NEVER_SAVED')).status).toBe(404)
    },
  },
  {
    claim: 'rule 3: a refused connection scope fails the whole request',
    as: 'admin',
    body: { key: 'NEVER_SAVED', value, provider: 'openai', connection_scope: 'platform' },
    status: 400,
    code: 'validation_error',
    check: async (_answer, _given, world) => {
      expect((await world.call('admin', 'GET /secrets/NEVER_SAVED')).status).toBe(404)
    },
  },
  {
    claim: 'rule 5: a name reserved for a setting is refused',
    as: 'admin',
    body: { key: 'DATABASE_URL', value },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'rule 5: a name with a reserved prefix is refused',
    as: 'admin',
    body: { key: 'STRIPE_SECRET_KEY', value },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a name that is no name of a variable is refused',
    as: 'admin',
    body: { key: 'with space', value },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a website that is none is refused',
    as: 'admin',
    body: () => ({ key: freshKey(), value, provider: freshSlug(), provider_website: 'file:///etc/passwd' }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'the key exists: attach instead',
    as: 'admin',
    body: ({ key }: { key: string }) => ({ key, value }),
    status: 409,
    code: 'already_exists',
    check: async (_answer, given, world) => {
      expect((await world.call('admin', `GET /secrets/reveal/${given.key}`)).data.value).toBe(given.value)
    },
  },
  { claim: 'a missing key', as: 'admin', body: { value }, status: 400, code: 'invalid_request' },
  { claim: 'an empty key', as: 'admin', body: { key: '', value }, status: 400, code: 'invalid_request' },
  { claim: 'a missing value', as: 'admin', body: { key: 'X' }, status: 400, code: 'invalid_request' },
  { claim: 'a malformed body', as: 'admin', body: '{"key":', status: 400, code: 'invalid_request' },
  {
    claim: 'an unknown connection scope',
    as: 'admin',
    body: { key: 'X', value, connection_scope: 'galaxy' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'org without an organization',
    as: 'admin',
    body: { key: 'X', value, connection_scope: 'org' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a plain member',
    as: 'member',
    body: () => ({ key: freshKey(), value }),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a workspace key',
    as: 'workspace-key:secrets:write',
    body: () => ({ key: freshKey(), value }),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'another workspace may use the same name',
    as: 'stranger',
    body: ({ key }: { key: string }) => ({ key, value }),
    status: 200,
    audits: ['secret.created'],
    emits: ['team/secrets'],
    check: ({ data }, _given, world) => expect(data.team_id).toBe(world.otherTeam.id),
  },
])

type Places = { orgTeam: string; attached: string; platform: string }
const orgKey = (connection_scope: string) => () => ({ key: freshKey(), value, provider: 'anthropic', connection_scope })

scenarios(
  'secrets.create',
  async (world): Promise<Places> => {
    const { orgTeamId, memberTeamId } = await givenOrganization(world)
    const platform = await platformTeamId(world)
    await world.open.platform.db
      .insertInto('team_members')
      .values({ id: freshKey(), team_id: platform, user_id: world.people.admin.userId, role: 'admin' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return { orgTeam: orgTeamId, attached: memberTeamId, platform }
  },
  [
    {
      claim: 'org: an org admin in the organization’s workspace; no vault holds the credential',
      as: 'admin',
      team: ({ orgTeam }) => orgTeam,
      body: orgKey('org'),
      status: 200,
      audits: ['secret.created'],
      emits: ['team/secrets'],
      check: async ({ data }, _given, world) => {
        const row = await credentialRow(world, data.credential_id)
        expect(row).toMatchObject({ scope: 'org', visibility: 'org', vault_id: null })
        expect(row?.org_id).not.toBeNull()
        const { db } = world.open.platform
        const links = await db
          .selectFrom('vault_credentials')
          .selectAll()
          .where('credential_id', '=', data.credential_id)
          .execute()
        expect(links).toEqual([])
      },
    },
    {
      claim: 'org from an attached workspace: the place is judged before the role',
      as: 'owner',
      team: ({ attached }) => attached,
      body: orgKey('org'),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'org in the organization’s workspace without being an org admin',
      as: 'owner',
      team: ({ orgTeam }) => orgTeam,
      body: orgKey('org'),
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'org by a platform admin',
      as: 'platform',
      team: ({ orgTeam }) => orgTeam,
      body: orgKey('org'),
      status: 200,
      audits: ['secret.created'],
      emits: ['team/secrets'],
    },
    {
      claim: 'platform outside of the platform’s workspace, even by a platform admin',
      as: 'platform',
      team: ({ orgTeam }) => orgTeam,
      body: orgKey('platform'),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'platform in its workspace without being a platform admin',
      as: 'admin',
      team: ({ platform }) => platform,
      body: orgKey('platform'),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'platform by a platform admin in the platform’s workspace',
      as: 'platform',
      team: ({ platform }) => platform,
      body: orgKey('platform'),
      status: 200,
      audits: ['secret.created'],
      emits: ['team/secrets'],
      check: async ({ data }, _given, world) => {
        expect(await credentialRow(world, data.credential_id)).toMatchObject({ scope: 'platform', vault_id: null })
      },
    },
  ],
)

describe('creating a secret whose credential cannot be had', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
    await sql`create function no_credential() returns trigger language plpgsql as
      $$ begin raise exception 'credentials are out of order'; end $$`.execute(world.open.platform.db)
    await sql`create trigger no_credential before insert on credentials execute function no_credential()`.execute(
      world.open.platform.db,
    )
  })
  afterAll(() => world?.close())

  it('rule 3: without a connection scope the secret is saved, unlinked, and the answer says so', async () => {
    const key = freshKey()
    const answer = await world.call('admin', 'POST /secrets', { body: { key, value, provider: 'openai' } })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.data).not.toHaveProperty('credential_id')
    expect(answer.json.messages).toMatchObject([{ level: 'warning', code: 'provider_not_linked' }])
    expect((await world.call('admin', `GET /secrets/reveal/${key}`)).data.value).toBe(value)
  })

  it('rule 3: with one, nothing is saved', async () => {
    const key = freshKey()
    const body = { key, value, provider: 'openai', connection_scope: 'team' }
    expect((await world.call('admin', 'POST /secrets', { body })).status).toBe(500)
    expect((await world.call('admin', `GET /secrets/${key}`)).status).toBe(404)
  })
})

describe('creating at the same time', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  it('one of many wins a name, the others get a conflict', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.call('admin', 'POST /secrets', { body: { key: 'RACED', value } })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  it('many first secrets of a provider share one credential and one default vault', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        world.call('admin', 'POST /secrets', { body: { key: `SHARED_${index}`, value, provider: 'together' } }),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200))
    expect(new Set(answers.map((answer) => answer.data.credential_id)).size).toBe(1)
    const vaults = (await world.call('admin', 'GET /vaults')).data
    expect(vaults.items).toMatchObject([{ is_default: true, credential_count: 1, secret_count: 9 }])
  })
})
