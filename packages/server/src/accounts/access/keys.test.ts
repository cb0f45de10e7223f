// Guarantees: a key is shown once and masked afterwards; only permitted callers create, see, rotate and revoke it; a
// revoked or replaced value stops working at once.
import { newId, shortId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { parseKeyText } from '#platform/core/tokens.ts'
import { givenKey, keyWorks } from '../../testing/keys.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { As, World } from '../../testing/world.ts'
import { createSession } from '../identity/service.ts'
import { setEntitlement } from '../plans/service.ts'
import { mintKey, type NewKey } from './mint-key.ts'

const hourMs = 3600_000

const narrowed = async (world: World, who: 'owner' | 'member', scopes: string[]): Promise<As> => {
  const { secret } = await createSession(world.ctx(), {
    userId: world.people[who].userId,
    kind: 'token',
    authMethod: 'device-auth',
    teamId: world.team.id,
    scopes,
  })
  return { token: secret }
}

const stored = async (world: World, key: Partial<NewKey>) =>
  (
    await mintKey(world.ctx(), {
      teamId: world.team.id,
      userId: world.people.owner.userId,
      createdBy: world.people.owner.userId,
      name: 'stored',
      scope: 'user',
      scopes: [],
      holdsEngineScopes: false,
      source: '',
      expiresAt: null,
      ...key,
    })
  ).row

scenarios(
  'apikeys.create',
  async (world) => ({
    apps: await narrowed(world, 'owner', ['apps', 'apikeys:write', 'user:read']),
    nothingForKeys: await narrowed(world, 'owner', ['apikeys']),
  }),
  [
    {
      claim: 'a member makes a personal key; its value is whole, its scopes an empty list',
      as: 'member',
      body: { name: 'laptop', source: 'engine:1', user_id: 'x', created_by: 'y', scope: null, expires_at: null },
      status: 200,
      audits: ['api_key.created'],
      check: ({ data }, _given, world) => {
        const { member } = world.people
        expect(parseKeyText(data.key)).not.toBeNull()
        expect(data).toMatchObject({
          short_id: shortId(data.id),
          deleted_at: null,
          name: 'laptop',
          scope: 'user',
          user_id: member.userId,
          created_by: member.userId,
          creator: { id: member.userId, email: member.email },
          team_id: world.team.id,
          user: null,
          team: null,
          visibility: 'private',
          scopes: [],
          source: '',
        })
        expect(data).not.toHaveProperty('last_used_at')
        expect(data).not.toHaveProperty('expires_at')
      },
    },
    {
      claim: 'an admin makes a workspace key: it acts as the service account, its creator stays on record',
      as: 'admin',
      body: { name: 'robot', scope: 'workspace', scopes: ['apps:read'] },
      status: 200,
      audits: ['api_key.created'],
      check: async ({ data }, _given, world) => {
        const service = await world.open.platform.db
          .selectFrom('users')
          .select(['id', 'email'])
          .where('service_team_id', '=', world.team.id)
          .executeTakeFirstOrThrow()
        expect(service.email).toBeNull()
        expect(data).toMatchObject({
          scope: 'workspace',
          user_id: service.id,
          created_by: world.people.admin.userId,
          visibility: 'team',
          scopes: ['apps:read'],
        })
      },
    },
    {
      claim: 'without scopes a narrowed sign-in hands on its own, minus the sign-in-only ones',
      as: ({ apps }) => apps,
      body: { name: 'narrow' },
      status: 200,
      audits: ['api_key.created'],
      check: ({ data }) => expect(data.scopes).toEqual(['apps']),
    },
    { claim: 'a name is required', as: 'member', body: {}, status: 400, code: 'validation_error' },
    { claim: 'a name says something', as: 'member', body: { name: ' ' }, status: 400, code: 'validation_error' },
    {
      claim: 'an unknown scope',
      as: 'member',
      body: { name: 'k', scopes: ['apps:fly'] },
      status: 400,
      code: 'validation_error',
      check: ({ json }) => expect(json.detail).toContain('apps:fly'),
    },
    {
      claim: 'a sign-in-only scope cannot be put on a key',
      as: 'owner',
      body: { name: 'k', scopes: ['user:read'] },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an expiry in the past',
      as: 'member',
      body: { name: 'k', expires_at: '2020-01-01T00:00:00Z' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'nothing is left to put on the key',
      as: ({ nothingForKeys }) => nothingForKeys,
      body: { name: 'k' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a workspace key on a personal workspace is a wrong field, not a missing role',
      as: 'owner',
      team: (_given) => '',
      body: { name: 'k', scope: 'workspace' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a scope outside the narrowed sign-in',
      as: ({ apps }) => apps,
      body: { name: 'k', scopes: ['flows:read'] },
      status: 403,
      code: 'insufficient_scope',
      check: ({ json }) => expect(json.detail).toContain('flows:read'),
    },
    {
      claim: 'a member makes no workspace key',
      as: 'member',
      body: { name: 'k', scope: 'workspace' },
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'a store scope outside the platform workspace',
      as: 'owner',
      body: { name: 'k', scopes: ['store:submit'] },
      status: 403,
      code: 'forbidden',
    },
    { claim: 'a full key makes no keys', as: 'key:', body: { name: 'k' }, status: 403, code: 'requires_sign_in' },
    {
      claim: 'a workspace key makes no keys',
      as: 'workspace-key:',
      body: { name: 'k' },
      status: 403,
      code: 'requires_sign_in',
    },
  ],
)

scenarios(
  'apikeys.create',
  (world) =>
    world.call('owner', 'GET /entitlements/usage').then(async ({ data }) => {
      const { current } = data.find((usage: { resource: string }) => usage.resource === 'api_keys')
      await setEntitlement(world.ctx(), world.team.id, 'api_keys', current + 1)
      await givenKey(world, 'owner')
      await setEntitlement(world.ctx(), world.otherTeam.id, 'api_keys', 0)
    }),
  [
    {
      claim: 'the limit of the plan is reached',
      as: 'owner',
      body: { name: 'one too many' },
      status: 402,
      code: 'limit_exceeded',
      check: ({ json }) =>
        expect(json.meta).toEqual({
          resource: 'api_keys',
          resource_label: 'API keys',
          limit: 1,
          current: 1,
          upgrade_available: false,
        }),
    },
    {
      claim: 'a limit of 0 is a plan without keys',
      as: 'stranger',
      body: { name: 'k' },
      status: 403,
      code: 'feature_not_available',
      check: ({ json }) => expect(json.meta).toMatchObject({ resource: 'api_keys', limit: 0, current: 0 }),
    },
  ],
  ownWorld,
)

scenarios(
  'apikeys.list',
  async (world) => {
    const named = async (as: As, name: string, body = {}) => (await givenKey(world, as, { name, ...body })).id
    await world.open.platform.db.deleteFrom('api_keys').execute()
    const ids = {
      owner: await named('owner', 'of the owner'),
      member: await named('member', 'of the member'),
      workspace: await named('admin', 'of the workspace', { scope: 'workspace' }),
      stranger: await named('stranger', 'of a stranger'),
      engine: (await stored(world, { source: 'engine:42', name: 'engine', createdBy: world.people.member.userId })).id,
    }
    await stored(world, { name: 'expired', expiresAt: new Date(world.clock.now().getTime() - 1) })
    return ids
  },
  [
    {
      claim: 'an admin sees every key of the workspace, masked, and no other workspace’s',
      as: 'admin',
      status: 200,
      check: ({ data }, ids) => {
        const seen = data.items.map((item: { id: string }) => item.id).sort()
        expect(seen).toEqual([ids.owner, ids.member, ids.workspace, ids.engine].sort())
        for (const item of data.items) {
          expect(item.key).toMatch(/^mill-\*{4}[0-9A-Za-z]{4}$/)
          expect(item.scopes).toEqual([])
          expect(item).not.toHaveProperty('last_used_at')
        }
        expect(data.total_items).toBe(4)
      },
    },
    {
      claim: 'a member sees own personal keys of every origin',
      as: 'member',
      status: 200,
      check: ({ data }, ids) =>
        expect(data.items.map((item: { id: string }) => item.id).sort()).toEqual([ids.member, ids.engine].sort()),
    },
    {
      claim: 'the POST twin filters, sorts and projects',
      as: 'owner',
      route: 'POST /apikeys/list',
      body: {
        filters: [{ field: 'scope', operator: 'eq', value: 'user' }],
        sort: [{ field: 'name', dir: 'asc' }],
        fields: ['name'],
      },
      status: 200,
      check: ({ data }) =>
        expect(data.items.map((item: { name: string }) => item.name)).toEqual([
          'engine',
          'of the member',
          'of the owner',
        ]),
    },
    {
      claim: 'relations are null unless asked for by name',
      as: 'admin',
      query: { preloads: '["user","nonsense"]', filters: '[{"field":"scope","operator":"eq","value":"workspace"}]' },
      status: 200,
      check: ({ data }) => {
        expect(data.items[0].user).toMatchObject({ id: data.items[0].user_id, role: 'system' })
        expect(data.items[0].team).toBeNull()
      },
    },
    {
      claim: 'an unknown filter column',
      as: 'owner',
      query: { filters: '[{"field":"token_hash","operator":"eq","value":"x"}]' },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a key does not list keys', as: 'key:', status: 403, code: 'requires_sign_in' },
  ],
)

scenarios(
  'apikeys.revoke',
  async (world) => ({
    own: await givenKey(world, 'member'),
    ownersKey: await givenKey(world, 'owner'),
    workspace: await givenKey(world, 'admin', { scope: 'workspace' }),
    foreign: await givenKey(world, 'stranger'),
  }),
  [
    {
      claim: 'a member revokes an own key; it is refused from then on',
      as: 'member',
      path: ({ own }) => ({ id: own.id }),
      status: 200,
      emits: ['access'],
      audits: ['api_key.revoked'],
      check: async ({ data }, { own }, world) => {
        expect(data).toMatchObject({ id: own.id, name: 'made' })
        expect(data.deleted_at).not.toBeNull()
        expect(data.key).toContain('****')
        expect(await keyWorks(world, own.key)).toBe(false)
      },
    },
    {
      claim: 'an admin revokes anybody’s key, by its short id',
      as: 'admin',
      path: ({ ownersKey }) => ({ id: shortId(ownersKey.id) }),
      status: 200,
      audits: ['api_key.revoked'],
      emits: ['access'],
      check: async (_answer, { ownersKey }, world) => expect(await keyWorks(world, ownersKey.key)).toBe(false),
    },
    {
      claim: 'an admin revokes a workspace key',
      as: 'admin',
      path: ({ workspace }) => ({ id: workspace.id }),
      status: 200,
      audits: ['api_key.revoked'],
      emits: ['access'],
      check: async (_answer, { workspace }, world) => expect(await keyWorks(world, workspace.key)).toBe(false),
    },
    {
      claim: 'another member’s key in the same workspace',
      as: 'member',
      path: ({ ownersKey }) => ({ id: ownersKey.id }),
      status: 403,
      code: 'forbidden',
      check: async (_answer, { ownersKey }, world) => expect(await keyWorks(world, ownersKey.key)).toBe(true),
    },
    {
      claim: 'a workspace key is not a member’s to revoke',
      as: 'member',
      path: ({ workspace }) => ({ id: workspace.id }),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'another workspace’s key is not there',
      as: 'owner',
      path: ({ foreign }) => ({ id: foreign.id }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'nor is ours for a stranger',
      as: 'stranger',
      path: ({ own }) => ({ id: own.id }),
      status: 404,
      code: 'not_found',
    },
    { claim: 'no such key', as: 'owner', path: () => ({ id: newId() }), status: 404, code: 'not_found' },
    {
      claim: 'a key revokes no keys, not even itself',
      as: 'key:',
      path: ({ own }) => ({ id: own.id }),
      status: 403,
      code: 'requires_sign_in',
    },
  ],
)

scenarios(
  'apikeys.rotate',
  async (world) => ({
    full: await givenKey(world, 'owner'),
    own: await givenKey(world, 'member', { expires_at: new Date(world.clock.now().getTime() + hourMs).toISOString() }),
    workspace: await givenKey(world, 'admin', { scope: 'workspace' }),
    engine: await stored(world, { source: 'engine:42' }),
    narrow: await narrowed(world, 'owner', ['apps', 'apikeys:write']),
  }),
  [
    {
      claim: 'a new value under the same id; the old one works within its grace, never past the key’s own end',
      as: 'member',
      path: ({ own }) => ({ id: own.id }),
      status: 200,
      emits: ['access'],
      audits: ['api_key.rotated'],
      check: async ({ data }, { own }, world) => {
        expect(data.id).toBe(own.id)
        expect(parseKeyText(data.key)).not.toBeNull()
        expect(data.key).not.toBe(own.key)
        expect(data.previous_expires_at).toBe(data.expires_at)
        expect(await keyWorks(world, own.key)).toBe(true)
        expect(await keyWorks(world, data.key)).toBe(true)
      },
    },
    {
      claim: 'a grace of 0 ends the old value at once',
      as: 'owner',
      path: ({ full }) => ({ id: full.id }),
      body: { grace_seconds: 0 },
      status: 200,
      audits: ['api_key.rotated'],
      emits: ['access'],
      check: async ({ data }, { full }, world) => {
        expect(data).not.toHaveProperty('previous_expires_at')
        expect(await keyWorks(world, full.key)).toBe(false)
        expect(await keyWorks(world, data.key)).toBe(true)
      },
    },
    {
      claim: 'an admin rotates a workspace key',
      as: 'admin',
      path: ({ workspace }) => ({ id: workspace.id }),
      body: { grace_seconds: 60 },
      status: 200,
      audits: ['api_key.rotated'],
      emits: ['access'],
    },
    {
      claim: 'a grace below 0',
      as: 'owner',
      path: ({ full }) => ({ id: full.id }),
      body: { grace_seconds: -1 },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a grace without end',
      as: 'owner',
      path: ({ full }) => ({ id: full.id }),
      body: { grace_seconds: 31_536_000 },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an admin cannot get hold of a member’s own credential',
      as: 'admin',
      path: ({ own }) => ({ id: own.id }),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'a member cannot rotate a workspace key',
      as: 'member',
      path: ({ workspace }) => ({ id: workspace.id }),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'a narrowed sign-in gets no value that holds more than itself',
      as: ({ narrow }) => narrow,
      path: ({ full }) => ({ id: full.id }),
      status: 403,
      code: 'insufficient_scope',
      check: async (_answer, { full }, world) => expect(await keyWorks(world, full.key)).toBe(true),
    },
    {
      claim: 'an engine’s credential is not rotated by hand',
      as: 'owner',
      path: ({ engine }) => ({ id: engine.id }),
      status: 409,
      code: 'invalid_state',
    },
    {
      claim: 'another workspace’s key',
      as: 'stranger',
      path: ({ full }) => ({ id: full.id }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'a key rotates no keys',
      as: 'key:',
      path: ({ full }) => ({ id: full.id }),
      status: 403,
      code: 'requires_sign_in',
    },
  ],
)
