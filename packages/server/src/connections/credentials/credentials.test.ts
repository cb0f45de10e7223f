// Guarantees: who sees, creates, changes and ends connections, for whom, and the code of each refusal.
import { generateKeyPairSync } from 'node:crypto'
import { shortId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { setEntitlement } from '#accounts/plans/service.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { As, World } from '../../testing/world.ts'
import { secretValue } from '../secrets/service.ts'
import { givenCredential, givenOrganization } from '../secrets/testing/given.ts'
import { visit } from './testing/authorization-server.ts'
import { type CustomOauthServer, startCustomOauthServer } from './testing/custom-oauth-server.ts'
import { appValues, credentialRow, givenProvider, specFor } from './testing/given.ts'
import { openToken } from './tokens.ts'

let server: Promise<CustomOauthServer> | undefined
const oauthServer = async (): Promise<CustomOauthServer> => {
  server ??= startCustomOauthServer().then((odd) => {
    odd.answer = (form) =>
      form.has('assertion')
        ? { status: 400, body: { error: 'invalid_grant' } }
        : { body: { access_token: 'at', refresh_token: 'rt', token_type: 'bearer', scope: 'read' } }
    return odd
  })
  return server
}

const platformTeamOf = async (world: World): Promise<string> => {
  const teams = world.open.platform.db.selectFrom('teams').select('id')
  return (await teams.where('is_platform', '=', true).executeTakeFirstOrThrow()).id
}

const worlds = new WeakMap<World, Promise<void>>()

/** Providers, created once: `crm` signs in, `desk` uses a user name and password, `robot` uses client credentials. */
const providers = (world: World): Promise<void> => {
  const known = worlds.get(world)
  if (known) return known
  const making = (async () => {
    const odd = await oauthServer()
    await addMember(world.ctx(), await platformTeamOf(world), world.people.admin.userId, 'admin')
    const plain = { userinfo_url: undefined, revocation_endpoint: undefined, scopes: ['read'] }
    await givenProvider(world, { slug: 'crm', specs: [specFor(odd, plain)] })
    await givenProvider(world, { slug: 'own-crm', specs: [specFor(odd, plain)], more: { connection_scope: 'user' } })
    await givenProvider(world, { slug: 'robot', specs: [specFor(odd, { ...plain, flow: 'client_credentials' })] })
    await givenProvider(world, {
      slug: 'desk',
      specs: [{ kind: 'http', scheme: 'basic' }],
    })
    await givenProvider(world, {
      slug: 'bearer',
      specs: [{ kind: 'http', scheme: 'bearer', fields: [{ key: 'TOKEN' }] }],
    })
  })()
  worlds.set(world, making)
  return making
}

const connectKey = async (world: World, as: As, body: object): Promise<string> => {
  const answer = await world.call(as, 'POST /credentials', {
    body: { type: 'api_key', api_key: 'sk-of-the-test', ...body },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data.credential.id
}

type Given = { shared: string; mine: string; admins: string; foreign: string; platforms: string }

const connections = async (world: World): Promise<Given> => {
  await providers(world)
  const asPlatform = async (): Promise<string> => {
    const answer = await world.call('platform', 'POST /credentials', {
      team: await platformTeamOf(world),
      body: { provider: 'groq', type: 'api_key', api_key: 'gsk', connection_scope: 'platform' },
    })
    if (answer.status !== 200) throw new Error(answer.text)
    return answer.data.credential.id
  }
  return {
    shared: await connectKey(world, 'owner', { provider: 'openai' }),
    mine: await connectKey(world, 'member', { provider: 'anthropic', connection_scope: 'user' }),
    admins: await connectKey(world, 'admin', { provider: 'deepseek', connection_scope: 'user' }),
    foreign: await connectKey(world, 'stranger', { provider: 'mistral' }),
    platforms: await asPlatform(),
  }
}

const signedOut = { claim: 'no credential', as: null, status: 401, code: 'unauthorized' } as const
const scopeless = (scope: 'read' | 'write') =>
  ({
    claim: 'a key without the scope',
    as: scope === 'read' ? 'key:apps:read' : 'key:credentials:read',
    status: 403,
    code: 'insufficient_scope',
  }) as const

const ids = (data: { items: { id: string }[] }) => data.items.map(({ id }) => id)

scenarios('credentials.list', connections, [
  {
    claim: 'the workspace’s connections and one’s own; nobody else’s own',
    as: 'owner',
    status: 200,
    check: ({ data, text }, given) => {
      expect(ids(data)).toContain(given.shared)
      expect(ids(data)).not.toContain(given.mine)
      expect(ids(data)).not.toContain(given.foreign)
      expect(text).not.toContain('sealed')
      expect(text).not.toContain('sk-of-the-test')
    },
  },
  {
    claim: 'filters by provider, type, status and scope',
    as: 'member',
    route: 'POST /credentials/list',
    body: {
      filters: [
        { field: 'provider', value: 'anthropic' },
        { field: 'type', value: 'api_key' },
        { field: 'status', value: 'connected' },
        { field: 'scope', value: 'user' },
      ],
    },
    status: 200,
    check: ({ data }, given) => expect(ids(data)).toEqual([given.mine]),
  },
  {
    claim: 'an admin asks for private rows, which is audited',
    as: 'admin',
    route: 'POST /credentials/list',
    body: { include_private: true, preloads: ['user'] },
    status: 200,
    audits: ['team_admin.list_private'],
    check: ({ data }, given, world) => {
      const row = data.items.find(({ id }: { id: string }) => id === given.mine)
      expect(row.user.id).toBe(world.people.member.userId)
    },
  },
  { claim: 'integrations:read opens it too', as: 'key:integrations:read', status: 200 },
  {
    claim: 'signed out: what is public, which is nothing',
    as: null,
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([]),
  },
  {
    claim: 'without the scope: as if signed out',
    as: 'key:apps:read',
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([]),
  },
  {
    claim: 'an unknown column',
    as: 'owner',
    route: 'POST /credentials/list',
    body: { filters: [{ field: 'access_token_sealed', value: 'x' }] },
    status: 400,
    code: 'validation_error',
  },
])

scenarios('credentials.get', connections, [
  {
    claim: 'by slug: the one the caller would use',
    as: 'member',
    path: { provider: 'openai' },
    status: 200,
    check: ({ data }, given) =>
      expect(data).toMatchObject({
        id: given.shared,
        short_id: shortId(given.shared),
        provider: 'openai',
        type: 'api_key',
        grant: 'token',
        scope: 'team',
        status: 'connected',
        display_name: 'OpenAI',
        is_primary: true,
        visibility: 'team',
      }),
  },
  {
    claim: 'one’s own comes before the workspace’s',
    as: 'member',
    path: { provider: 'anthropic' },
    status: 200,
    check: async (_answer, given, world) => {
      const shared = await connectKey(world, 'owner', { provider: 'anthropic' })
      expect((await world.call('member', 'GET /credentials/anthropic')).data.id).toBe(given.mine)
      expect((await world.call('admin', 'GET /credentials/anthropic')).data.id).toBe(shared)
      await world.call('owner', `DELETE /credentials/${shared}`)
    },
  },
  {
    claim: 'the platform’s is inherited by every workspace',
    as: 'stranger',
    path: { provider: 'groq' },
    status: 200,
    check: ({ data }, given) => expect(data).toMatchObject({ id: given.platforms, scope: 'platform' }),
  },
  { claim: 'by id', as: 'member', path: ({ mine }) => ({ provider: mine }), status: 200 },
  { claim: 'by short id', as: 'member', path: ({ mine }) => ({ provider: shortId(mine) }), status: 200 },
  {
    claim: 'an admin sees a member’s own by id, which is audited',
    as: 'admin',
    path: ({ mine }) => ({ provider: mine }),
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  {
    claim:
      'an organization’s admin sees a person’s own in an attached workspace, and others of the organization do not',
    as: 'member',
    path: ({ mine }) => ({ provider: mine }),
    status: 200,
    check: async (_answer, _given, world) => {
      const { orgTeamId, memberTeamId } = await givenOrganization(world)
      const id = await givenCredential(world, {
        teamId: memberTeamId,
        userId: world.people.stranger.userId,
        scope: 'user',
      })
      await world.open.platform.db
        .updateTable('credentials')
        .set({ visibility: 'private' })
        .where('id', '=', id)
        .execute()
      const read = (as: As) => world.call(as, `GET /credentials/${id}`, { team: orgTeamId })
      const before = (await world.audits()).length
      expect((await read('admin')).data).toMatchObject({ id, team_id: memberTeamId })
      expect((await world.audits()).slice(before)).toEqual(['team_admin.permission_bypass'])
      expect((await read('owner')).code).toBe('not_found')
    },
  },
  {
    claim: 'a member’s own is nobody else’s business',
    as: 'member',
    path: ({ admins }) => ({ provider: admins }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'nothing connected', as: 'owner', path: { provider: 'cohere' }, status: 404, code: 'not_found' },
  { claim: 'another workspace’s slug', as: 'stranger', path: { provider: 'openai' }, status: 404, code: 'not_found' },
  {
    claim: 'another workspace’s id',
    as: 'stranger',
    path: ({ shared }) => ({ provider: shared }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'signed out: nothing is public', as: null, path: { provider: 'openai' }, status: 404, code: 'not_found' },
  {
    claim: 'signed out: what was made public is read',
    as: null,
    path: { provider: 'openai' },
    status: 404,
    code: 'not_found',
    check: async (_answer, given, world) => {
      const { db } = world.open.platform
      const show = (visibility: 'public' | 'team') =>
        db.updateTable('credentials').set({ visibility }).where('id', '=', given.shared).execute()
      await show('public')
      expect((await world.call(null, 'GET /credentials/openai')).data.id).toBe(given.shared)
      expect(ids((await world.call('key:apps:read', 'GET /credentials')).data)).toEqual([given.shared])
      await show('team')
    },
  },
  {
    claim: 'a name that is too long',
    as: 'owner',
    path: { provider: 'x'.repeat(65) },
    status: 404,
    code: 'not_found',
  },
])

const configOf = (data: { slug: string; type: string }[], slug: string, type: string) =>
  data.find((one) => one.slug === slug && one.type === type)

scenarios('credentials.configs', connections, [
  {
    claim: 'every provider and way, merged with what is connected',
    as: 'member',
    status: 200,
    check: ({ data }, given) => {
      expect(data.length).toBeGreaterThan(38)
      const slugs = data.map(({ slug }: { slug: string }) => slug)
      expect(slugs).toEqual(slugs.toSorted((a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
      expect(configOf(data, 'openai', 'api_key')).toMatchObject({
        provider: 'openai',
        name: 'OpenAI',
        available: true,
        allows_byok: true,
        connection_scope: 'team',
        credential: { id: given.shared },
        secret_fields: [{ key: 'OPENAI_API_KEY', sensitive: true, optional: false }],
      })
      expect(configOf(data, 'github', 'oauth')).toMatchObject({
        available: false,
        grant: 'credentials',
        has_managed: false,
      })
      expect(configOf(data, 'github', 'api_key')).toMatchObject({ available: true })
      expect(configOf(data, 'groq', 'api_key')).toMatchObject({ has_managed: true, credential: { scope: 'platform' } })
      const crm = configOf(data, 'crm', 'oauth') as unknown as { custom_provider_id: string; auth_scheme_id: string }
      expect(crm).toMatchObject({ available: true, grant: 'token', app: { grant: 'credentials', status: 'connected' } })
      expect(crm.custom_provider_id).toBe(crm.auth_scheme_id)
      expect(configOf(data, 'google-sa', 'service_account')).toMatchObject({ available: true })
      expect(configOf(data, 'gcp', 'wif')).toMatchObject({ available: true })
    },
  },
  signedOut,
  scopeless('read'),
])

scenarios('credentials.available', connections, [
  {
    claim: 'only those that can be connected now',
    as: 'member',
    status: 200,
    check: ({ data }) => {
      expect(data.every(({ available }: { available: boolean }) => available)).toBe(true)
      expect(configOf(data, 'crm', 'oauth')).toBeDefined()
      expect(configOf(data, 'github', 'oauth')).toBeUndefined()
    },
  },
  signedOut,
  scopeless('read'),
])

scenarios('credentials.capabilities', connections, [
  {
    claim: 'what connections can give an app, with the names it finds them under',
    as: 'member',
    status: 200,
    check: ({ data }) => {
      const found = (key: string) => data.capabilities.find((one: { key: string }) => one.key === key)
      expect(found('github:oauth')).toMatchObject({
        provider: 'github',
        type: 'oauth',
        scopes: ['repo', 'read:user', 'user:email'],
        satisfies: ['GITHUB_ACCESS_TOKEN'],
        available: false,
      })
      expect(found('twilio:api_key')).toMatchObject({
        satisfies: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
        available: true,
      })
      expect(found('bearer:api_key')).toMatchObject({ satisfies: ['BEARER_TOKEN'] })
    },
  },
  signedOut,
  scopeless('read'),
])

scenarios('credentials.check', connections, [
  {
    claim: 'everything is there',
    as: 'member',
    body: { secrets: [{ key: 'OPENAI_API_KEY' }], integrations: [{ key: 'openai', secrets: ['OPENAI_API_KEY'] }] },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ satisfied: true }),
  },
  {
    claim: 'what is missing, each with the step that helps',
    as: 'member',
    body: {
      secrets: [{ key: 'COHERE_API_KEY' }, { key: 'OTHER', optional: true }],
      credentials: [
        { provider: 'github', scopes: ['repo'] },
        { provider: 'cohere', optional: true },
      ],
    },
    status: 200,
    check: ({ data }) =>
      expect(data).toEqual({
        satisfied: false,
        errors: [
          {
            type: 'secret',
            key: 'COHERE_API_KEY',
            message: expect.stringContaining('COHERE_API_KEY'),
            action: {
              type: 'add_secret',
              provider: 'cohere',
              provider_name: 'Cohere',
              provider_website: 'https://cohere.com',
              secrets: ['COHERE_API_KEY'],
            },
          },
          {
            type: 'integration',
            key: 'github',
            message: 'GitHub is not connected',
            action: {
              type: 'connect',
              provider: 'github',
              provider_name: 'GitHub',
              provider_website: 'https://github.com',
              scopes: ['repo'],
            },
          },
        ],
      }),
  },
  { claim: 'nothing asked', as: 'member', body: {}, status: 200 },
  {
    claim: 'a name that is none',
    as: 'owner',
    body: { secrets: [{ key: 'no name' }] },
    status: 400,
    code: 'validation_error',
  },
  { ...signedOut, body: {} },
  { ...scopeless('read'), body: {} },
])

const connect = (body: object) => ({ body: { type: 'api_key', ...body } })

type Place = { platformTeam: string; account: object }

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const aPlace = async (world: World): Promise<Place> => {
  await providers(world)
  return {
    platformTeam: await platformTeamOf(world),
    account: {
      type: 'service_account',
      client_email: 'robot@example.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: `${(await oauthServer()).address}/token`,
    },
  }
}

scenarios(
  'credentials.connect',
  aPlace,
  [
    {
      claim: 'api_key: stored as the provider’s secret, connected at once, in the default vault',
      as: 'admin',
      ...connect({ provider: 'openai', api_key: 'sk-shared' }),
      status: 200,
      audits: ['credential.connected', 'secret.created'],
      emits: ['team/secrets'],
      check: async ({ data, text }, _given, world) => {
        expect(data.credential).toMatchObject({
          provider: 'openai',
          scope: 'team',
          status: 'connected',
          vault_id: expect.any(String),
        })
        expect(data.integration).toEqual(data.credential)
        expect(text).not.toContain('sk-shared')
        expect(await secretValue(world.open.platform, world.team.id, 'OPENAI_API_KEY')).toBe('sk-shared')
        const secret = await world.call('owner', 'GET /secrets/OPENAI_API_KEY')
        expect(secret.data.credential_id).toBe(data.credential.id)
      },
    },
    {
      claim: 'api_key again: the new key takes the old one’s place',
      as: 'owner',
      ...connect({ provider: 'openai', api_key: 'sk-newer' }),
      status: 200,
      audits: ['secret.updated', 'secret.provider_attached', 'credential.connected'],
      emits: ['team/secrets'],
      check: async (_answer, _given, world) =>
        expect(await secretValue(world.open.platform, world.team.id, 'OPENAI_API_KEY')).toBe('sk-newer'),
    },
    {
      claim: 'for oneself: any member, sealed in the connection, seen by nobody else',
      as: 'member',
      ...connect({ provider: 'openai', api_key: 'sk-mine', connection_scope: 'user' }),
      status: 200,
      audits: ['credential.connected'],
      check: async ({ data, text }, _given, world) => {
        expect(text).not.toContain('sk-mine')
        expect(data.credential).toMatchObject({ scope: 'user', visibility: 'private', status: 'connected' })
        const row = await credentialRow(world, data.credential.id)
        expect(await openToken(world.open.platform, row, 'access_token_sealed')).toBe('{"OPENAI_API_KEY":"sk-mine"}')
        expect((await world.call('admin', 'GET /credentials/openai')).data.id).not.toBe(data.credential.id)
      },
    },
    {
      claim: 'two people have one each',
      as: 'admin',
      ...connect({ provider: 'openai', api_key: 'sk-admins', connection_scope: 'user' }),
      status: 200,
      audits: ['credential.connected'],
      check: async ({ data }, _given, world) =>
        expect((await world.call('member', 'GET /credentials/openai')).data.id).not.toBe(data.credential.id),
    },
    {
      claim: 'http basic: user name and password',
      as: 'owner',
      body: { provider: 'desk', type: 'http', metadata: { DESK_USERNAME: 'ada', DESK_PASSWORD: 'pw' } },
      status: 200,
      audits: ['secret.created', 'secret.created', 'credential.connected'],
      emits: ['team/secrets'],
      check: async (_answer, _given, world) =>
        expect(await secretValue(world.open.platform, world.team.id, 'DESK_PASSWORD')).toBe('pw'),
    },
    {
      claim: 'http basic in one text',
      as: 'owner',
      body: { provider: 'twilio', type: 'api_key', api_key: 'AC1:tok:en' },
      status: 200,
      audits: ['secret.created', 'secret.created', 'credential.connected'],
      emits: ['team/secrets'],
      check: async (_answer, _given, world) => {
        expect(await secretValue(world.open.platform, world.team.id, 'TWILIO_ACCOUNT_SID')).toBe('AC1')
        expect(await secretValue(world.open.platform, world.team.id, 'TWILIO_AUTH_TOKEN')).toBe('tok:en')
      },
    },
    {
      claim: 'http bearer: the field’s name gets the slug’s prefix',
      as: 'owner',
      body: { provider: 'bearer', type: 'http', api_key: 't' },
      status: 200,
      audits: ['secret.created', 'credential.connected'],
      emits: ['team/secrets'],
      check: async (_answer, _given, world) =>
        expect(await secretValue(world.open.platform, world.team.id, 'BEARER_TOKEN')).toBe('t'),
    },
    {
      claim: 'oauth: an address to go to and a state',
      as: 'owner',
      body: { provider: 'crm', type: 'oauth', scopes: ['read', 'write', 'read'] },
      status: 200,
      audits: ['credential.connect_started'],
      check: ({ data }) => {
        expect(data.state).toMatch(/^[\w-]{43}$/)
        expect(new URL(data.auth_url).searchParams.get('scope')).toBe('read write')
        expect(data.credential).toMatchObject({ status: 'pending', type: 'oauth', scope: 'team' })
      },
    },
    {
      claim: 'the provider’s own default: for oneself',
      as: 'member',
      body: { provider: 'own-crm', type: 'oauth' },
      status: 200,
      audits: ['credential.connect_started'],
      check: ({ data }) => expect(data.credential.scope).toBe('user'),
    },
    {
      claim: 'client credentials connect at once',
      as: 'owner',
      body: { provider: 'robot', type: 'oauth' },
      status: 200,
      audits: ['credential.connected'],
      check: ({ data }) => expect(data.credential).toMatchObject({ status: 'connected', scopes: ['read'] }),
    },
    {
      claim: 'integrations:write opens it too',
      as: 'key:integrations:write',
      ...connect({ provider: 'cohere', api_key: 'k' }),
      status: 200,
      audits: ['secret.created', 'credential.connected'],
      emits: ['team/secrets'],
    },
    {
      claim: 'for the whole workspace a plain member may not',
      as: 'member',
      ...connect({ provider: 'mistral', api_key: 'k', connection_scope: 'team' }),
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'nor when that is the provider’s default',
      as: 'member',
      ...connect({ provider: 'mistral', api_key: 'k' }),
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'for an organization that there is none of',
      as: 'owner',
      ...connect({ provider: 'mistral', api_key: 'k', connection_scope: 'org' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'for the platform from an ordinary workspace',
      as: 'owner',
      ...connect({ provider: 'mistral', api_key: 'k', connection_scope: 'platform' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'for the platform, in its workspace, by somebody without its power',
      as: 'admin',
      ...connect({ provider: 'mistral', api_key: 'k', connection_scope: 'platform' }),
      team: ({ platformTeam }) => platformTeam,
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'a scope that is none',
      as: 'owner',
      ...connect({ provider: 'mistral', api_key: 'k', connection_scope: 'world' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an unknown provider',
      as: 'owner',
      ...connect({ provider: 'nobody', api_key: 'k' }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'a provider of another workspace',
      as: 'stranger',
      body: { provider: 'crm', type: 'oauth' },
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'an unknown type',
      as: 'owner',
      body: { provider: 'openai', type: 'saml' },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'no provider', as: 'owner', body: { type: 'api_key' }, status: 400, code: 'validation_error' },
    { claim: 'no key', as: 'owner', ...connect({ provider: 'openai' }), status: 400, code: 'validation_error' },
    {
      claim: 'an empty key',
      as: 'owner',
      ...connect({ provider: 'openai', api_key: '' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'half of a user name and password',
      as: 'owner',
      ...connect({ provider: 'twilio', api_key: 'AC1' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a key for what signs in',
      as: 'owner',
      ...connect({ provider: 'crm', api_key: 'k' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a sign-in for what takes a key',
      as: 'owner',
      body: { provider: 'openai', type: 'oauth' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'http for what takes a key',
      as: 'owner',
      body: { provider: 'openai', type: 'http', api_key: 'k' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'mcp for what is none',
      as: 'owner',
      body: { provider: 'crm', type: 'mcp' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a provider without an OAuth app',
      as: 'owner',
      body: { provider: 'github', type: 'oauth' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a scope with a space',
      as: 'owner',
      body: { provider: 'crm', type: 'oauth', scopes: ['a b'] },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a service account that its cloud refuses',
      as: 'owner',
      body: ({ account }: Place) => ({ provider: 'google-sa', type: 'service_account', metadata: account }),
      status: 400,
      code: 'invalid_request',
    },
    { ...signedOut, ...connect({ provider: 'openai', api_key: 'k' }) },
    { ...scopeless('write'), ...connect({ provider: 'openai', api_key: 'k' }) },
  ],
  ownWorld,
)

scenarios(
  'credentials.connect',
  async (world) => {
    await providers(world)
    await setEntitlement(world.ctx(), world.team.id, 'connectors', 0)
    await setEntitlement(world.ctx(), world.otherTeam.id, 'connectors', 1)
    await world.call('stranger', 'POST /credentials', { body: { provider: 'openai', type: 'api_key', api_key: 'k' } })
  },
  [
    {
      claim: 'a plan without connectors',
      as: 'owner',
      ...connect({ provider: 'groq', api_key: 'k' }),
      status: 403,
      code: 'feature_not_available',
    },
    {
      claim: 'one more than the plan allows',
      as: 'stranger',
      ...connect({ provider: 'groq', api_key: 'k' }),
      status: 402,
      code: 'limit_exceeded',
    },
    {
      claim: 'a new key for what is connected takes no room',
      as: 'stranger',
      ...connect({ provider: 'openai', api_key: 'k2' }),
      status: 200,
      audits: ['secret.updated', 'secret.provider_attached', 'credential.connected'],
      emits: ['team/secrets'],
    },
  ],
  ownWorld,
)

type SignIn = { slug: string; returned: Record<string, string>; id: string; refusing: Record<string, string> }

const aSignIn = async (world: World): Promise<SignIn> => {
  await providers(world)
  const begun = await world.call('owner', 'POST /credentials', { body: { provider: 'crm', type: 'oauth' } })
  const refusing = await world.call('owner', 'POST /credentials', { body: { provider: 'crm', type: 'oauth' } })
  return {
    slug: 'crm',
    returned: await visit(begun.data.auth_url),
    id: begun.data.credential.id,
    refusing: await visit(refusing.data.auth_url),
  }
}

const back = ({ returned }: SignIn) => ({ provider: 'crm', type: 'oauth', ...returned })

scenarios('credentials.complete_oauth', aSignIn, [
  {
    claim: 'the code becomes a connection',
    as: 'owner',
    body: back,
    status: 200,
    audits: ['credential.connected'],
    check: ({ data, text }, given) => {
      expect(data.credential).toMatchObject({ id: given.id, status: 'connected', scopes: ['read'] })
      expect(data.integration).toEqual(data.credential)
      expect(text).not.toContain('"at"')
    },
  },
  {
    claim: 'the type may be left out',
    as: 'owner',
    body: ({ returned }: SignIn) => ({ provider: 'crm', ...returned }),
    status: 200,
    audits: ['credential.connected'],
  },
  {
    claim: 'a wrong state',
    as: 'owner',
    body: (given: SignIn) => ({ ...back(given), state: 'x'.repeat(43) }),
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'another person’s state', as: 'admin', body: back, status: 400, code: 'invalid_request' },
  { claim: 'a state of another workspace', as: 'stranger', body: back, status: 400, code: 'invalid_request' },
  {
    claim: 'the same person in another workspace',
    as: 'owner',
    team: '',
    body: back,
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a state of another provider',
    as: 'owner',
    body: (given: SignIn) => ({ ...back(given), provider: 'own-crm' }),
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'another type',
    as: 'owner',
    body: (given: SignIn) => ({ ...back(given), type: 'mcp' }),
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'no code',
    as: 'owner',
    body: ({ returned }: SignIn) => ({ provider: 'crm', state: returned.state }),
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'the person said no',
    as: 'owner',
    body: ({ returned }: SignIn) => ({ provider: 'crm', state: returned.state, error: 'access_denied' }),
    status: 400,
    code: 'access_denied',
  },
  {
    claim: 'the service said no',
    as: 'owner',
    body: ({ returned }: SignIn) => ({ provider: 'crm', state: returned.state, error: 'temporarily_unavailable' }),
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'no state', as: 'owner', body: { provider: 'crm', code: 'x' }, status: 400, code: 'validation_error' },
  { ...signedOut, body: { provider: 'crm', code: 'c', state: 's' } },
  { ...scopeless('write'), body: { provider: 'crm', code: 'c', state: 's' } },
])

const aConnection = async (world: World): Promise<Given> => {
  const given = await aSignIn(world)
  const done = await world.call('owner', 'POST /credentials/oauth/complete', { body: back(given) })
  if (done.status !== 200) throw new Error(done.text)
  return connections(world)
}

const more = { scopes: ['write'] }

scenarios('credentials.add_scopes', aConnection, [
  {
    claim: 'asks for the granted and the wanted',
    as: 'admin',
    path: { provider: 'crm' },
    body: more,
    status: 200,
    audits: ['credential.connect_started'],
    check: ({ data }) => {
      expect(data.credential.status).toBe('connected')
      expect(new URL(data.auth_url).searchParams.get('scope')).toBe('read write')
    },
  },
  {
    claim: 'a plain member may not for everyone',
    as: 'member',
    path: { provider: 'crm' },
    body: more,
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'what was connected with a key',
    as: 'owner',
    path: { provider: 'openai' },
    body: more,
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'no scopes',
    as: 'owner',
    path: { provider: 'crm' },
    body: { scopes: [] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'nothing connected',
    as: 'owner',
    path: { provider: 'own-crm' },
    body: more,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'inherited from elsewhere',
    as: 'owner',
    path: { provider: 'groq' },
    body: more,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'another workspace’s',
    as: 'stranger',
    path: { provider: 'crm' },
    body: more,
    status: 404,
    code: 'not_found',
  },
  { ...signedOut, path: { provider: 'crm' }, body: more },
  { ...scopeless('write'), path: { provider: 'crm' }, body: more },
])

const github = { path: { provider: 'github' }, body: { values: appValues('github') } }

scenarios('credentials.set_app', providers, [
  {
    claim: 'an admin sets the workspace’s own app of a listed provider',
    as: 'admin',
    ...github,
    status: 200,
    audits: ['credential.app_set'],
    check: async ({ data, text }, _given, world) => {
      expect(data).toMatchObject({
        provider: 'github',
        grant: 'credentials',
        scope: 'team',
        status: 'connected',
        type: 'oauth',
      })
      expect(text).not.toContain('a secret of the test server')
      const begun = await world.call('owner', 'POST /credentials', { body: { provider: 'github', type: 'oauth' } })
      expect(begun.data.auth_url).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?/)
    },
  },
  {
    claim: 'keys that are left out keep their value',
    as: 'owner',
    path: { provider: 'github' },
    body: { values: { GITHUB_CLIENT_ID: 'another' } },
    status: 200,
    audits: ['credential.app_set'],
    check: ({ data, text }) => {
      expect(data).toMatchObject({ status: 'connected' })
      expect(text).not.toContain('another')
    },
  },
  {
    claim: 'half an app is not usable yet',
    as: 'owner',
    path: { provider: 'gitlab' },
    body: { values: { GITLAB_CLIENT_ID: 'x' } },
    status: 200,
    audits: ['credential.app_set'],
    check: ({ data }) =>
      expect(data).toMatchObject({ status: 'pending', metadata: { missing: ['GITLAB_CLIENT_SECRET'] } }),
  },
  {
    claim: 'an operator sets the one that everyone shares',
    as: 'platform',
    path: { provider: 'notion' },
    body: { values: appValues('notion'), scope: 'platform' },
    status: 200,
    audits: ['credential.app_set'],
    check: ({ data }) => expect(data).toMatchObject({ scope: 'platform', status: 'connected' }),
  },
  {
    claim: 'which nobody else may',
    as: 'owner',
    path: { provider: 'notion' },
    body: { values: appValues('notion'), scope: 'platform' },
    status: 403,
    code: 'permission_denied',
  },
  { claim: 'a plain member', as: 'member', ...github, status: 403, code: 'team_role_required' },
  {
    claim: 'a name that the app does not have',
    as: 'owner',
    path: { provider: 'github' },
    body: { values: { SOMETHING: 'x' } },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an empty value',
    as: 'owner',
    path: { provider: 'github' },
    body: { values: { GITHUB_CLIENT_ID: ' ' } },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a provider that takes keys only',
    as: 'owner',
    path: { provider: 'openai' },
    body: { values: { OPENAI_CLIENT_ID: 'x' } },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no values', as: 'owner', path: { provider: 'github' }, body: {}, status: 400, code: 'validation_error' },
  {
    claim: 'an unknown provider',
    as: 'owner',
    path: { provider: 'nobody' },
    body: github.body,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a provider of another workspace',
    as: 'stranger',
    path: { provider: 'crm' },
    body: { values: appValues('crm') },
    status: 404,
    code: 'not_found',
  },
  { ...signedOut, ...github },
  { ...scopeless('write'), ...github },
])

scenarios(
  'credentials.disconnect',
  connections,
  [
    {
      claim: 'a shared key: the secret goes with it',
      as: 'admin',
      path: { provider: 'openai' },
      status: 200,
      audits: ['credential.disconnected'],
      check: async ({ data }, given, world) => {
        expect(data).toEqual({ success: true })
        expect((await credentialRow(world, given.shared)).status).toBe('disconnected')
        expect(await secretValue(world.open.platform, world.team.id, 'OPENAI_API_KEY')).toBeNull()
        expect((await world.call('owner', 'GET /secrets/OPENAI_API_KEY')).status).toBe(404)
      },
    },
    {
      claim: 'one’s own, by any member',
      as: 'member',
      path: { provider: 'anthropic' },
      status: 200,
      audits: ['credential.disconnected'],
      check: async (_answer, given, world) =>
        expect(await credentialRow(world, given.mine)).toMatchObject({
          status: 'disconnected',
          access_token_sealed: null,
        }),
    },
    {
      claim: 'a member’s own, by an admin and its id, which is audited',
      as: 'admin',
      path: ({ mine }) => ({ provider: mine }),
      status: 200,
      audits: ['team_admin.permission_bypass', 'credential.disconnected'],
    },
    {
      claim: 'a shared one, by a plain member',
      as: 'member',
      path: { provider: 'openai' },
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'a member’s own, by another member',
      as: 'member',
      path: ({ admins }) => ({ provider: admins }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'what is inherited from the platform',
      as: 'owner',
      path: { provider: 'groq' },
      status: 403,
      code: 'permission_denied',
    },
    { claim: 'nothing connected', as: 'owner', path: { provider: 'cohere' }, status: 404, code: 'not_found' },
    { claim: 'another workspace’s slug', as: 'stranger', path: { provider: 'openai' }, status: 404, code: 'not_found' },
    {
      claim: 'another workspace’s id',
      as: 'stranger',
      path: ({ shared }) => ({ provider: shared }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'a name that is too long',
      as: 'owner',
      path: { provider: 'x'.repeat(65) },
      status: 404,
      code: 'not_found',
    },
    { ...signedOut, path: { provider: 'openai' } },
    { ...scopeless('write'), path: { provider: 'openai' } },
  ],
  ownWorld,
)
