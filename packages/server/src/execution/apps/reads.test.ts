// Guarantees: callers find exactly the apps that they may see, by id, by ref and in lists; all others answer like
// unknown apps.
import type { App } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { deploy, echoVersion, freshName, type GivenApps, givenApps, show } from './testing/given.ts'

const idsOf = (data: { items: { id: string }[] }) => data.items.map((item) => item.id)

const nowhere = newId()

scenarios<GivenApps>('apps.get', givenApps, [
  {
    claim: 'by id, with its active version',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    status: 200,
    check: ({ data }, { shared }) => {
      expect(data).toMatchObject({
        id: shared.id,
        user: null,
        team: null,
        deleted_at: null,
        version: { id: shared.version_id },
      })
      expect(data).not.toHaveProperty('resolved_function')
      expect(data.version).not.toHaveProperty('warnings')
    },
  },
  {
    claim: 'by short id',
    as: 'key:apps:read',
    path: ({ shared }) => ({ id: shared.short_id }),
    status: 200,
    check: ({ data }, { shared }) => expect(data.id).toBe(shared.id),
  },
  { claim: "the caller's own private app", as: 'member', path: ({ hidden }) => ({ id: hidden.id }), status: 200 },
  {
    claim: "an admin reads a member's private app, audited",
    as: 'admin',
    path: ({ hidden }) => ({ id: hidden.id }),
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  {
    claim: 'the member reads it without an audit event',
    as: 'member',
    path: ({ hidden }) => ({ id: hidden.id }),
    status: 200,
    check: async (_answer, _given, world) => {
      const audits = await world.audits()
      expect(audits.filter((action) => action === 'team_admin.permission_bypass').length).toBe(1)
    },
  },
  { claim: 'a public app, anonymous', as: null, path: ({ foreign }) => ({ id: foreign.id }), status: 200 },
  {
    claim: 'a public app, without the scope',
    as: 'key:files:read',
    path: ({ foreign }) => ({ id: foreign.id }),
    status: 200,
  },
  {
    claim: 'not a workspace app, anonymous',
    as: null,
    path: ({ shared }) => ({ id: shared.id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'not a workspace app, without the scope',
    as: 'key:files:read',
    path: ({ shared }) => ({ id: shared.id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'not a workspace app of another workspace',
    as: 'stranger',
    path: ({ shared }) => ({ id: shared.id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'not a private app of another workspace',
    as: 'owner',
    path: ({ secret }) => ({ id: secret.id }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'not there', as: 'owner', path: { id: nowhere }, status: 404, code: 'not_found' },
])

type Pinned = { app: App; first: string; hidden: App }

const pinned = async (world: World): Promise<Pinned> => {
  const name = freshName()
  const first = await deploy(world, 'owner', { name })
  const app = await deploy(world, 'owner', {
    name,
    version: { ...echoVersion, kernel: '3.12', functions: { other: {} } },
  })
  return {
    app: await show(world, 'owner', app, 'team'),
    first: first.version_id,
    hidden: await deploy(world, 'member'),
  }
}

scenarios<Pinned>('apps.get_by_ref', pinned, [
  {
    claim: 'the active version; the caller chooses the function',
    as: 'member',
    path: ({ app }) => ({ namespace: 'mill', name: app.name }),
    status: 200,
    check: ({ data }, { app }) =>
      expect(data).toMatchObject({
        id: app.id,
        version_id: app.version_id,
        resolved_function: '',
        version: { default_function: 'other' },
      }),
  },
  {
    claim: 'a pinned version and function',
    as: 'member',
    path: ({ app, first }) => ({ namespace: 'mill', name: `${app.name}@${first}:count` }),
    status: 200,
    check: ({ data }, { first }) =>
      expect(data).toMatchObject({ version_id: first, resolved_function: 'count', version: { id: first } }),
  },
  {
    claim: 'a short version id',
    as: 'member',
    path: ({ app, first }) => ({ namespace: 'mill', name: `${app.name}@${first.slice(0, 8)}` }),
    status: 200,
    check: ({ data }, { first }) => expect(data.version_id).toBe(first),
  },
  {
    claim: '@latest is not a version',
    as: 'member',
    path: ({ app }) => ({ namespace: 'mill', name: `${app.name}@latest:other` }),
    status: 200,
    check: ({ data }, { app }) =>
      expect(data).toMatchObject({ version_id: app.version_id, resolved_function: 'other' }),
  },
  {
    claim: '@ and : may be unescaped in the path',
    as: 'member',
    path: ({ app }) => ({ namespace: 'mill', name: app.name }),
    status: 200,
    check: async (_answer, { app, first }, world) => {
      const answer = await world.call('member', `GET /apps/mill/${app.name}@${first}:count`)
      expect(answer.data).toMatchObject({ version_id: first, resolved_function: 'count' })
    },
  },
  {
    claim: 'an unknown version',
    as: 'member',
    path: ({ app }) => ({ namespace: 'mill', name: `${app.name}@${nowhere}` }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an unknown function',
    as: 'member',
    path: ({ app }) => ({ namespace: 'mill', name: `${app.name}:toString` }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'no ref', as: 'member', path: { namespace: 'mill', name: 'Not A Name' }, status: 404, code: 'not_found' },
  {
    claim: 'anonymous, not public',
    as: null,
    path: ({ app }) => ({ namespace: 'mill', name: app.name }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ app }) => ({ namespace: 'mill', name: app.name }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an admin through the bypass',
    as: 'admin',
    path: ({ hidden }) => ({ namespace: 'mill', name: hidden.name }),
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
])

scenarios<Pinned>('apps.versions', pinned, [
  {
    claim: 'the history',
    as: 'member',
    path: ({ app }) => ({ id: app.id }),
    status: 200,
    check: ({ data }, { app, first }) => {
      expect(new Set(idsOf(data))).toEqual(new Set([app.version_id, first]))
      expect(data.total_items).toBe(2)
    },
  },
  {
    claim: 'page by page',
    as: 'member',
    route: 'POST /apps/:id/versions/list',
    path: ({ app }) => ({ id: app.id }),
    body: { limit: 1 },
    status: 200,
    check: async ({ data }, { app, first }, world) => {
      const body = { limit: 1, cursor: data.next_cursor }
      const next = await world.call('member', `POST /apps/${app.id}/versions/list`, { body })
      expect(new Set([...idsOf(data), ...idsOf(next.data)])).toEqual(new Set([app.version_id, first]))
      expect(next.data.has_next).toBe(false)
    },
  },
  {
    claim: 'an unknown column',
    as: 'member',
    path: ({ app }) => ({ id: app.id }),
    query: { sort: '[{"field":"env"}]' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a broken cursor',
    as: 'member',
    path: ({ app }) => ({ id: app.id }),
    query: { cursor: 'x' },
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'another workspace', as: 'stranger', path: ({ app }) => ({ id: app.id }), status: 404, code: 'not_found' },
  { claim: 'signed out', as: null, path: ({ app }) => ({ id: app.id }), status: 404, code: 'not_found' },
])

scenarios<Pinned>('apps.version', pinned, [
  {
    claim: 'the version itself, not the app',
    as: 'member',
    path: ({ app, first }) => ({ id: app.id, versionId: first }),
    status: 200,
    check: ({ data }, { first }) =>
      expect(data).toMatchObject({ id: first, kernel: 'node-22', functions: { count: { kind: 'run' } } }),
  },
  {
    claim: 'by short ids',
    as: 'member',
    path: ({ app, first }) => ({ id: app.short_id, versionId: first.slice(0, 8) }),
    status: 200,
  },
  {
    claim: 'a version of another app',
    as: 'member',
    path: ({ app, hidden }) => ({ id: app.id, versionId: hidden.version_id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ app, first }) => ({ id: app.id, versionId: first }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'signed out',
    as: null,
    path: ({ app, first }) => ({ id: app.id, versionId: first }),
    status: 404,
    code: 'not_found',
  },
])

/** The table shares one world with the apps of all scenarios, so each scenario selects its own. */
const only = (apps: GivenApps, data: { items: App[] }): (keyof GivenApps)[] =>
  (Object.keys(apps) as (keyof GivenApps)[]).filter((key) => data.items.some((item) => item.id === apps[key].id))

scenarios<GivenApps>(
  'apps.list',
  async (world) => {
    await world.open.platform.db.deleteFrom('app_versions').execute()
    await world.open.platform.db.deleteFrom('apps').execute()
    return givenApps(world)
  },
  [
    {
      claim: "lists the apps of the workspace, without other members' private ones",
      as: 'owner',
      status: 200,
      check: ({ data }, given) => {
        expect(only(given, data)).toEqual(['shared'])
        expect(data.items[0]).toMatchObject({ version: { id: given.shared.version_id } })
      },
    },
    {
      claim: "lists a member's own private app",
      as: 'member',
      status: 200,
      check: ({ data }, given) => expect(only(given, data)).toEqual(['shared', 'hidden']),
    },
    {
      claim: 'lists public apps for an anonymous caller',
      as: null,
      status: 200,
      check: ({ data }, given) => expect(only(given, data)).toEqual(['foreign']),
    },
    {
      claim: 'lists public apps for a key without the scope',
      as: 'key:files:read',
      status: 200,
      check: ({ data }, given) => expect(only(given, data)).toEqual(['foreign']),
    },
    {
      claim: 'include_others adds public apps of other workspaces',
      as: 'owner',
      query: { include_others: 'true' },
      status: 200,
      check: ({ data }, given) => expect(only(given, data)).toEqual(['shared', 'foreign']),
    },
    {
      claim: 'include_private requires an admin and is audited',
      as: 'admin',
      query: { include_private: 'true' },
      status: 200,
      audits: ['team_admin.list_private'],
      check: ({ data }, given) => expect(only(given, data)).toEqual(['shared', 'hidden']),
    },
    {
      claim: 'include_private of a member is ignored',
      as: 'member-key:apps:read',
      query: { include_private: 'true' },
      status: 200,
      check: ({ data }, given) => expect(only(given, data)).toEqual(['shared', 'hidden']),
    },
    {
      claim: 'permissions: apps that the caller may write',
      as: 'owner',
      route: 'POST /apps/list',
      body: { include_others: true, permissions: ['write'] },
      status: 200,
      check: ({ data }, given) => expect(only(given, data)).toEqual(['shared']),
    },
    {
      claim: 'permissions: apps that the caller may run',
      as: 'owner',
      route: 'POST /apps/list',
      body: { include_others: true, include_private: true, permissions: ['use'] },
      status: 200,
      audits: ['team_admin.list_private'],
      check: ({ data }, given) => expect(only(given, data)).toEqual(['shared', 'foreign']),
    },
    {
      claim: 'embeds owners on request',
      as: 'owner',
      query: { preloads: '["user","team","nonsense"]' },
      status: 200,
      check: ({ data }, _given, world) =>
        expect(data.items[0]).toMatchObject({ user: { id: world.people.owner.userId }, team: { username: 'mill' } }),
    },
    {
      claim: 'returns only the requested fields',
      as: 'owner',
      query: { fields: '["name"]' },
      status: 200,
      check: ({ data }, { shared }) => expect(data.items).toEqual([{ id: shared.id, name: shared.name }]),
    },
    {
      claim: 'filters by columns',
      as: 'member',
      route: 'POST /apps/list',
      body: { filters: [{ field: 'visibility', operator: 'eq', value: 'private' }] },
      status: 200,
      check: ({ data }, given) => expect(only(given, data)).toEqual(['hidden']),
    },
    {
      claim: 'sorts by columns',
      as: 'member',
      route: 'POST /apps/list',
      body: { sort: [{ field: 'name', dir: 'asc' }] },
      status: 200,
      check: ({ data }) => {
        const names = data.items.map((item: App) => item.name)
        expect(names).toEqual([...names].sort())
      },
    },
    {
      claim: 'filters by tag',
      as: 'owner',
      status: 200,
      check: async (_answer, _given, world) => {
        const app = await deploy(world, 'owner', { tags: ['rare'] })
        const find = (filter: object) =>
          world.call('owner', 'POST /apps/list', { body: { filters: [{ field: 'tag', ...filter }] } })
        expect(idsOf((await find({ operator: 'eq', value: 'rare' })).data)).toEqual([app.id])
        expect(idsOf((await find({ value: 'none' })).data)).toEqual([])
        expect((await find({ operator: 'like', value: 'rare' })).code).toBe('validation_error')
        expect((await find({ operator: 'eq', value: 5 })).code).toBe('validation_error')
      },
    },
    {
      claim: 'searches the searchable columns',
      as: 'owner',
      status: 200,
      check: async (_answer, { shared }, world) => {
        const app = await deploy(world, 'owner', { agent_description: 'Turns straw into gold' })
        const search = async (search: object) =>
          idsOf((await world.call('owner', 'POST /apps/list', { body: { search } })).data)
        expect(await search({ term: 'STRAW' })).toEqual([app.id])
        expect(await search({ term: 'straw', fields: ['name'] })).toEqual([])
        expect(await search({ term: 'straw', fields: ['agent_description', 'nonsense'] })).toEqual([app.id])
        // None of the fields can be searched, so the condition is omitted.
        expect(new Set(await search({ term: 'straw', fields: ['nonsense'] }))).toEqual(new Set([app.id, shared.id]))
        expect(await search({ term: app.name, exact: true })).toEqual([app.id])
        expect(await search({ term: app.name.slice(0, -1), exact: true })).toEqual([])
      },
    },
    {
      claim: 'a search without a term',
      as: 'owner',
      query: { search: '{"fields":["name"]}' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an unknown filter column',
      as: 'owner',
      query: { filters: '[{"field":"secret","value":"x"}]' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an unknown sort column',
      as: 'owner',
      query: { sort: '[{"field":"secret"}]' },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a broken cursor', as: 'owner', query: { cursor: 'x' }, status: 400, code: 'invalid_request' },
  ],
)
