// Guarantees: who sees, creates, changes and deletes auth providers, and each rule of slugs, specs, apps, websites and
// deletion.
import { newId, shortId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { ownWorld, type Scenario, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { internalSecretValue } from '../secrets/service.ts'
import { hookCatalogue } from './hooks.ts'

type Given = { id: string; slug: string; platformId: string; foreignId: string; connectedId: string }

const oauth = {
  kind: 'oauth2',
  authorization_endpoint: 'https://crm.example/authorize',
  token_endpoint: 'https://crm.example/token',
}

let counter = 0
const newSlug = () => `crm-${++counter}`

const client = { client_id: 'an-id', client_secret: 'a-secret-value' }
const bodyOf = (more: object = {}) => ({ slug: newSlug(), display_name: 'CRM', specs: [oauth], ...client, ...more })

const made = async (world: World, as: 'owner' | 'stranger' | 'platform', more: object = {}) => {
  const answer = await world.call(as, 'POST /auth-providers', { body: bodyOf(more) })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data as { id: string; slug: string }
}

const operatorsRow = { scope: 'platform', client_id: undefined, client_secret: undefined }

const aProvider = async (world: World): Promise<Given> => {
  const { id, slug } = await made(world, 'owner')
  const connected = await made(world, 'owner', {
    specs: [{ kind: 'api_key' }],
    client_id: undefined,
    client_secret: undefined,
  })
  const joined = await world.call('owner', 'POST /credentials', {
    body: { provider: connected.slug, type: 'api_key', api_key: 'a-key' },
  })
  if (joined.status !== 200) throw new Error(joined.text)
  return {
    id,
    slug,
    platformId: (await made(world, 'platform', operatorsRow)).id,
    foreignId: (await made(world, 'stranger')).id,
    connectedId: connected.id,
  }
}

const here = { path: ({ id }: Given) => ({ id }) }
const platforms = { path: ({ platformId }: Given) => ({ id: platformId }) }
const foreign = { path: ({ foreignId }: Given) => ({ id: foreignId }) }

const unseen = (request: object, scope: 'read' | 'write'): Scenario<Given>[] => [
  { claim: 'no credential', as: null, ...here, ...request, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: scope === 'write' ? 'key:credentials:read' : 'key:apps:read',
    ...here,
    ...request,
    status: 403,
    code: 'insufficient_scope',
  },
]

const absent = (request: object): Scenario<Given>[] => [
  {
    claim: 'another workspace’s row is not there',
    as: 'owner',
    ...foreign,
    ...request,
    status: 404,
    code: 'not_found',
  },
  { claim: 'a stranger does not see it', as: 'stranger', ...here, ...request, status: 404, code: 'not_found' },
  { claim: 'an unknown id', as: 'owner', path: { id: newId() }, ...request, status: 404, code: 'not_found' },
  {
    claim: 'a row of the platform, for a caller who is not an operator',
    as: 'owner',
    ...platforms,
    ...request,
    status: 403,
    code: 'permission_denied',
  },
  {
    claim: 'an id that is none',
    as: 'owner',
    path: { id: 'x'.repeat(65) },
    ...request,
    status: 404,
    code: 'not_found',
  },
]

const bytewise = (rows: { slug: string }[]) => rows.map(({ slug }) => slug)
const inByteOrder = (slugs: string[]) => slugs.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

scenarios('auth_providers.list', aProvider, [
  {
    claim: 'the workspace’s own rows, in byte order of the slug',
    as: 'member',
    status: 200,
    check: ({ data }, given) => {
      expect(bytewise(data)).toContain(given.slug)
      expect(bytewise(data)).toEqual(inByteOrder(bytewise(data)))
      expect(data.every((row: { scope: string }) => row.scope === 'team')).toBe(true)
      expect(data.some((row: { id: string }) => row.id === given.foreignId)).toBe(false)
    },
  },
  {
    claim: 'scope=platform: the 38 built-in ones and the operator’s, each with a website or the operator’s choice',
    as: 'member',
    query: { scope: 'platform' },
    status: 200,
    check: async ({ data }, given, world) => {
      expect(bytewise(data)).toEqual(inByteOrder(bytewise(data)))
      expect(data.some((row: { id: string }) => row.id === given.platformId)).toBe(true)
      const seeded = await world.open.platform.db
        .selectFrom('auth_providers')
        .select('slug')
        .where('seeded', '=', true)
        .execute()
      expect(seeded).toHaveLength(38)
      const slugs = new Set(seeded.map(({ slug }) => slug))
      const rows = data.filter((row: { slug: string }) => slugs.has(row.slug))
      expect(rows).toHaveLength(38)
      for (const row of rows) expect(row.website).toMatch(/^https:\/\/(?!www\.)/)
    },
  },
  {
    claim: 'under the former name',
    as: 'key:integrations:read',
    route: 'GET /auth-schemes',
    status: 200,
    check: async ({ json }, _given, world) =>
      expect(json).toEqual((await world.call('member', 'GET /auth-providers')).json),
  },
  { claim: 'an unknown scope', as: 'owner', query: { scope: 'org' }, status: 400, code: 'validation_error' },
  ...unseen({}, 'read').map(({ path: _path, ...one }) => one),
])

scenarios('auth_providers.hooks', () => ({}) as Given, [
  {
    claim: 'the names that specs may use',
    as: 'member',
    status: 200,
    check: ({ data }) => {
      expect(data).toEqual(hookCatalogue)
      expect(data.token_response).toContain('form')
      expect(data.auth_server_profiles).toContainEqual({ name: 'auth0', hosts: ['*.auth0.com'] })
    },
  },
  { claim: 'under the former name', as: 'member', route: 'GET /auth-schemes/hooks', status: 200 },
  ...unseen({}, 'read').map(({ path: _path, ...one }) => one),
])

scenarios('auth_providers.get', aProvider, [
  {
    claim: 'one of the workspace’s own; the app’s values are never part of it',
    as: 'member',
    ...here,
    status: 200,
    check: ({ data, text }, given) => {
      expect(data).toMatchObject({
        id: given.id,
        short_id: shortId(given.id),
        deleted_at: null,
        slug: given.slug,
        provider: given.slug,
        scope: 'team',
        connection_scope: 'team',
        visibility: 'team',
        client_id_key: `${given.slug.toUpperCase().replaceAll('-', '_')}_CLIENT_ID`,
        client_secret_key: `${given.slug.toUpperCase().replaceAll('-', '_')}_CLIENT_SECRET`,
      })
      expect(text).not.toContain(client.client_secret)
    },
  },
  { claim: 'by its short id', as: 'member', path: ({ id }) => ({ id: shortId(id) }), status: 200 },
  { claim: 'under the former name', as: 'member', route: 'GET /auth-schemes/:id', ...here, status: 200 },
  { claim: 'a row of the platform, for an operator', as: 'platform', ...platforms, status: 200 },
  ...absent({}),
  ...unseen({}, 'read'),
])

const refused = (claim: string, more: object): Scenario<Given> => ({
  claim,
  as: 'owner',
  body: () => bodyOf(more),
  status: 400,
  code: 'validation_error',
})

scenarios(
  'auth_providers.create',
  () => ({}) as Given,
  [
    {
      claim: 'an admin defines one; the app’s id and secret go into the vault as internal secrets and are not answered',
      as: 'admin',
      body: {
        slug: 'my-crm',
        display_name: ' My CRM ',
        specs: [oauth],
        ...client,
        description: 'Customers',
        docs_url: 'https://docs.crm.example',
        how_it_works: 'Sign in\nDone',
        connection_scope: 'user',
      },
      status: 200,
      audits: ['auth_provider.created'],
      check: async ({ data, text }, _given, world) => {
        expect(text).not.toContain(client.client_secret)
        expect(data).toMatchObject({
          slug: 'my-crm',
          provider: 'my-crm',
          display_name: 'My CRM',
          how_it_works: ['Sign in', 'Done'],
          connection_scope: 'user',
          client_id_key: 'MY_CRM_CLIENT_ID',
          client_secret_key: 'MY_CRM_CLIENT_SECRET',
          specs: [{ ...oauth, flow: 'authorization_code', client_auth: 'basic', pkce: true, scopes: [] }],
          user_id: world.people.admin.userId,
          team_id: world.team.id,
        })
        const read = (key: string) => internalSecretValue(world.open.platform, world.team.id, key)
        expect(await read('MY_CRM_CLIENT_ID')).toBe(client.client_id)
        expect(await read('MY_CRM_CLIENT_SECRET')).toBe(client.client_secret)
        const listed = await world.call('owner', 'GET /secrets')
        expect(listed.data.items).toEqual([])
      },
    },
    {
      claim: 'provider says whose it is',
      as: 'owner',
      body: () => bodyOf({ provider: 'google' }),
      status: 200,
      audits: ['auth_provider.created'],
      check: ({ data }) => expect(data.provider).toBe('google'),
    },
    {
      claim: 'website: a bare domain',
      as: 'owner',
      body: () => bodyOf({ website: 'www.crm.example/about', icon_url: 'https://crm.example/i.png' }),
      status: 200,
      audits: ['auth_provider.created'],
      check: ({ data }) =>
        expect(data).toMatchObject({ website: 'https://crm.example', icon_url: 'https://crm.example/i.png' }),
    },
    {
      claim: 'website: a whole address',
      as: 'owner',
      body: () => bodyOf({ website: 'https://www.crm.example' }),
      status: 200,
      audits: ['auth_provider.created'],
      check: ({ data }) => expect(data.website).toBe('https://crm.example'),
    },
    {
      claim: 'a public client needs no secret',
      as: 'owner',
      body: () => bodyOf({ specs: [{ ...oauth, client_auth: 'none' }], client_secret: undefined }),
      status: 200,
      audits: ['auth_provider.created'],
    },
    {
      claim: 'what takes keys alone needs no app',
      as: 'owner',
      body: () =>
        bodyOf({
          specs: [{ kind: 'api_key' }, { kind: 'http', scheme: 'basic' }],
          client_id: undefined,
          client_secret: undefined,
        }),
      status: 200,
      audits: ['auth_provider.created'],
      check: ({ data }) => expect(data.specs).toHaveLength(2),
    },
    {
      claim: 'an operator defines one for everyone, without an app',
      as: 'platform',
      body: () => bodyOf(operatorsRow),
      status: 200,
      audits: ['auth_provider.created'],
      check: ({ data }) => expect(data).toMatchObject({ scope: 'platform', team_id: '', visibility: 'public' }),
    },
    {
      claim: 'an operator of the platform may do what a team admin may',
      as: 'platform',
      body: () => bodyOf(),
      status: 200,
      audits: ['auth_provider.created'],
    },
    {
      claim: 'plain http is allowed where the operator’s rules open the host',
      as: 'owner',
      body: () => bodyOf({ specs: [{ ...oauth, token_endpoint: 'http://127.0.0.1:9/t' }] }),
      status: 200,
      audits: ['auth_provider.created'],
    },
    {
      claim: 'under the former name',
      as: 'owner',
      route: 'POST /auth-schemes',
      body: () => bodyOf(),
      status: 200,
      audits: ['auth_provider.created'],
    },
    {
      claim: 'a built-in slug',
      as: 'owner',
      body: () => bodyOf({ slug: 'github' }),
      status: 409,
      code: 'conflict',
    },
    {
      claim: 'a slug that is built in',
      as: 'owner',
      body: () => bodyOf({ slug: 'google-sa' }),
      status: 409,
      code: 'conflict',
    },
    {
      claim: 'a slug the workspace has',
      as: 'owner',
      body: () => bodyOf({ slug: 'my-crm' }),
      status: 409,
      code: 'conflict',
    },
    {
      claim: 'a slug that an operator has defined',
      as: 'platform',
      body: () => bodyOf({ ...operatorsRow, slug: 'operators-own' }),
      status: 200,
      audits: ['auth_provider.created'],
      check: async (_answer, _given, world) => {
        const again = await world.call('owner', 'POST /auth-providers', { body: bodyOf({ slug: 'operators-own' }) })
        expect(again).toMatchObject({ status: 409, code: 'conflict' })
        const twice = await world.call('platform', 'POST /auth-providers', {
          body: bodyOf({ ...operatorsRow, slug: 'operators-own' }),
        })
        expect(twice).toMatchObject({ status: 409, code: 'conflict' })
      },
    },
    {
      claim: 'another workspace’s slug is free here',
      as: 'stranger',
      body: () => bodyOf({ slug: 'my-crm' }),
      status: 200,
      audits: ['auth_provider.created'],
    },
    refused('a slug in capitals', { slug: 'My-CRM' }),
    refused('a slug with two hyphens', { slug: 'my--crm' }),
    refused('a slug of 65 characters', { slug: 'x'.repeat(65) }),
    refused('a slug that is a word of the routes', { slug: 'oauth' }),
    refused('no slug', { slug: undefined }),
    refused('no display name', { display_name: undefined }),
    refused('a display name of spaces', { display_name: ' ' }),
    refused('no specs', { specs: undefined }),
    refused('an empty list of specs', { specs: [] }),
    refused('an unknown kind', { specs: [{ kind: 'saml' }] }),
    refused('an endpoint missing', { specs: [{ kind: 'oauth2', token_endpoint: 'https://a.example' }] }),
    refused('a hook name that nobody knows', { specs: [{ ...oauth, token_response: 'nobody' }] }),
    refused('such a name where keys alone are taken', {
      specs: [{ kind: 'api_key', token_response: 'nobody' }],
      client_id: undefined,
      client_secret: undefined,
    }),
    refused('a public host over plain http', { specs: [{ ...oauth, token_endpoint: 'http://crm.example/token' }] }),
    refused('an address in the cloud’s own network', {
      specs: [{ ...oauth, token_endpoint: 'https://169.254.169.254/t' }],
    }),
    refused('a private address', { specs: [{ ...oauth, userinfo_url: 'https://10.0.0.1/me' }] }),
    refused('no client id on a team’s row', { client_id: undefined }),
    refused('no client secret on a team’s row', { client_secret: undefined }),
    {
      claim: 'what takes keys alone may bring an app along, which is sealed like any other',
      as: 'owner',
      body: () => bodyOf({ slug: 'keys-alone', specs: [{ kind: 'api_key' }] }),
      status: 200,
      audits: ['auth_provider.created'],
      check: async ({ data, text }, _given, world) => {
        expect(text).not.toContain(client.client_secret)
        expect(text).not.toContain(client.client_id)
        const read = (key: string) => internalSecretValue(world.open.platform, world.team.id, key)
        expect(await read('KEYS_ALONE_CLIENT_ID')).toBe(client.client_id)
        expect(await read('KEYS_ALONE_CLIENT_SECRET')).toBe(client.client_secret)
        const rotated = await world.call('owner', `PUT /auth-providers/${data.id}`, { body: { client_secret: 'new' } })
        expect(rotated.status, rotated.text).toBe(200)
        expect(await read('KEYS_ALONE_CLIENT_SECRET')).toBe('new')
      },
    },
    refused('a website that is none', { website: 'not a site' }),
    refused('a website over plain http', { website: 'http://crm.example' }),
    refused('a provider that is no slug', { provider: 'No Slug' }),
    refused('an icon that is no address', { icon_url: 'javascript:alert(1)' }),
    refused('an unknown connection scope', { connection_scope: 'org' }),
    {
      claim: 'an app on the platform’s row',
      as: 'platform',
      body: () => bodyOf({ scope: 'platform' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a row of the platform by a caller who is not an operator',
      as: 'owner',
      body: () => bodyOf(operatorsRow),
      status: 403,
      code: 'permission_denied',
    },
    { claim: 'a plain member', as: 'member', body: () => bodyOf(), status: 403, code: 'team_role_required' },
    ...unseen({ body: bodyOf() }, 'write').map(({ path: _path, ...one }) => one),
  ],
  ownWorld,
)

const change = { display_name: 'Renamed' }

scenarios('auth_providers.update', aProvider, [
  {
    claim: 'display fields change, what is left out stays',
    as: 'admin',
    ...here,
    body: { display_name: 'Renamed', description: 'New', provider: 'google', connection_scope: 'user' },
    status: 200,
    audits: ['auth_provider.updated'],
    check: ({ data }, given) =>
      expect(data).toMatchObject({
        slug: given.slug,
        display_name: 'Renamed',
        description: 'New',
        provider: 'google',
        connection_scope: 'user',
        specs: [oauth],
      }),
  },
  {
    claim: 'new specs replace the old',
    as: 'owner',
    ...here,
    body: { specs: [{ ...oauth, scopes: ['read'] }, { kind: 'api_key' }] },
    status: 200,
    audits: ['auth_provider.updated'],
    check: ({ data }) => expect(data.specs.map(({ kind }: { kind: string }) => kind)).toEqual(['oauth2', 'api_key']),
  },
  {
    claim: 'client_id and client_secret rotate the secrets; left out, they stay',
    as: 'owner',
    ...here,
    body: { client_secret: 'a-new-secret' },
    status: 200,
    audits: ['auth_provider.updated'],
    check: async ({ data, text }, _given, world) => {
      expect(text).not.toContain('a-new-secret')
      const read = (key: string) => internalSecretValue(world.open.platform, world.team.id, key)
      expect(await read(data.client_secret_key)).toBe('a-new-secret')
      expect(await read(data.client_id_key)).toBe(client.client_id)
    },
  },
  {
    claim: 'an app that keys alone did not need is there when a spec asks for it, and is missed where it is not whole',
    as: 'owner',
    act: async (world) => {
      const { id, slug } = await made(world, 'owner', { specs: [{ kind: 'api_key' }], client_secret: undefined })
      const state = () =>
        world.open.platform.db
          .selectFrom('credentials')
          .select('status')
          .where('provider', '=', slug)
          .executeTakeFirstOrThrow()
      const answer = await world.call('owner', `PUT /auth-providers/${id}`, { body: { specs: [oauth] } })
      expect(await state()).toEqual({ status: 'pending' })
      const open = { specs: [{ ...oauth, client_auth: 'none' }] }
      await world.call('owner', `PUT /auth-providers/${id}`, { body: open })
      expect(await state()).toEqual({ status: 'connected' })
      return answer
    },
    status: 200,
    audits: ['auth_provider.updated'],
  },
  {
    claim: 'the same slug again',
    as: 'owner',
    ...here,
    body: ({ slug }: Given) => ({ slug }),
    status: 200,
    audits: ['auth_provider.updated'],
  },
  { claim: 'another slug', as: 'owner', ...here, body: { slug: 'other' }, status: 400, code: 'validation_error' },
  { claim: 'another scope', as: 'owner', ...here, body: { scope: 'platform' }, status: 400, code: 'validation_error' },
  {
    claim: 'an operator edits a row of the platform',
    as: 'platform',
    ...platforms,
    body: change,
    status: 200,
    audits: ['auth_provider.updated'],
    check: ({ data }) => expect(data).toMatchObject({ scope: 'platform', display_name: 'Renamed' }),
  },
  {
    claim: 'the platform’s app has a route of its own',
    as: 'platform',
    ...platforms,
    body: { client_id: 'x' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'under the former name',
    as: 'owner',
    route: 'PUT /auth-schemes/:id',
    ...here,
    body: change,
    status: 200,
    audits: ['auth_provider.updated'],
  },
  {
    claim: 'an unknown hook',
    as: 'owner',
    ...here,
    body: { specs: [{ ...oauth, vars: 'x' }] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a website that is none',
    as: 'owner',
    ...here,
    body: { website: '?' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a plain member', as: 'member', ...here, body: change, status: 403, code: 'team_role_required' },
  ...absent({ body: change }),
  ...unseen({ body: change }, 'write'),
])

scenarios('auth_providers.delete', aProvider, [
  {
    claim: 'the row goes, and the secrets of its app with it',
    as: 'admin',
    ...here,
    status: 200,
    audits: ['auth_provider.deleted'],
    check: async ({ json }, { id, slug }, world) => {
      expect(json).toEqual({ success: true, data: { deleted: true }, messages: [] })
      const prefix = slug.toUpperCase().replaceAll('-', '_')
      for (const key of [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`])
        expect(await internalSecretValue(world.open.platform, world.team.id, key)).toBeNull()
      expect(await world.call('owner', `GET /auth-providers/${id}`)).toMatchObject({ status: 404 })
      const again = await world.call('owner', 'POST /auth-providers', { body: bodyOf({ slug }) })
      expect(again.status, again.text).toBe(200)
    },
  },
  {
    claim: 'the secrets of an app that its specs no longer ask for go too',
    as: 'owner',
    act: async (world) => {
      const { id, slug } = await made(world, 'owner', { specs: [{ ...oauth, vars: 'region' }] })
      const prefix = slug.toUpperCase().replaceAll('-', '_')
      const keys = [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`, `${prefix}_REGION`]
      await world.call('owner', `PUT /credentials/${slug}/app`, { body: { values: { [`${prefix}_REGION`]: 'eu' } } })
      await world.call('owner', `PUT /auth-providers/${id}`, { body: { specs: [{ kind: 'api_key' }] } })
      const read = (key: string) => internalSecretValue(world.open.platform, world.team.id, key)
      for (const key of keys) expect(await read(key), key).not.toBeNull()
      const answer = await world.call('owner', `DELETE /auth-providers/${id}`)
      for (const key of keys) expect(await read(key), key).toBeNull()
      return answer
    },
    status: 200,
    audits: ['auth_provider.deleted'],
  },
  {
    claim: 'while a credential is connected',
    as: 'owner',
    path: ({ connectedId }) => ({ id: connectedId }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'after the credential was disconnected',
    as: 'owner',
    path: ({ id }) => ({ id }),
    status: 200,
    audits: ['auth_provider.deleted'],
    check: async (_answer, { connectedId }, world) => {
      const { data } = await world.call('owner', `GET /auth-providers/${connectedId}`)
      await world.call('owner', `DELETE /credentials/${data.slug}`)
      expect(await world.call('owner', `DELETE /auth-providers/${connectedId}`)).toMatchObject({ status: 200 })
    },
  },
  {
    claim: 'a row of the platform, by an operator',
    as: 'platform',
    ...platforms,
    status: 200,
    audits: ['auth_provider.deleted'],
  },
  {
    claim: 'under the former name',
    as: 'owner',
    route: 'DELETE /auth-schemes/:id',
    ...here,
    status: 200,
    audits: ['auth_provider.deleted'],
  },
  { claim: 'a plain member', as: 'member', ...here, status: 403, code: 'team_role_required' },
  ...absent({}),
  ...unseen({}, 'write'),
])

scenarios('oauth.client_metadata', () => ({}) as Given, [
  {
    claim: 'a document whose address is the client id',
    as: null,
    path: { slug: 'notion-mcp' },
    status: 200,
    check: ({ json, headers }, _given, world) => {
      const { BASE_URL, APP_URL } = world.open.platform.settings
      expect(json).toMatchObject({
        client_id: `${BASE_URL}/oauth/client-metadata/notion-mcp`,
        redirect_uris: [`${APP_URL}/settings/secrets/oauth/notion-mcp`],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      })
      expect(headers['cache-control']).toBe('public, max-age=3600')
    },
  },
  { claim: 'a slug that is none', as: null, path: { slug: 'No Slug' }, status: 400, code: 'validation_error' },
])
