// Guarantees: the secrets of a workspace are seen masked by its members, changed and revealed by its admins, and not
// accessible to anyone else.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { storeInternalSecret } from './service.ts'
import { freshKey, type GivenSecret, givenSecret } from './testing/given.ts'

const value = 'a-new-value-0123456789'
const path = ({ key }: { key: string }) => ({ key })
const missing = { key: 'NOT_THERE' }

/** A secret that a credential manages, as the routes of credentials store them. */
const givenInternal = async (world: World): Promise<string> => {
  const key = freshKey('INTERNAL')
  const secret = { teamId: world.team.id, userId: world.people.owner.userId, key, value: 'internal-value-0123456789' }
  await storeInternalSecret(world.ctx(), secret)
  return key
}

scenarios(
  'secrets.list',
  async (world) => ({
    plain: await givenSecret(world, { description: 'for the press' }),
    internal: await givenInternal(world),
  }),
  [
    {
      claim: 'members see the secrets that people manage, masked',
      as: 'member',
      status: 200,
      check: ({ data, text }, { plain, internal }) => {
        const keys = data.items.map((item: { key: string }) => item.key)
        expect(keys).toContain(plain.key)
        expect(keys).not.toContain(internal)
        expect(text).not.toContain(plain.value)
        expect(data.items.every((item: { scope: string }) => item.scope === 'team')).toBe(true)
      },
    },
    {
      claim: 'an explicit scope filter overrides the default one',
      as: 'member',
      route: 'POST /secrets/list',
      body: { filters: [{ field: 'scope', operator: 'eq', value: 'internal' }], limit: -1 },
      status: 200,
      check: ({ data, text }, { plain, internal }) => {
        const keys = data.items.map((item: { key: string }) => item.key)
        expect(keys).toContain(internal)
        expect(keys).not.toContain(plain.key)
        expect(text).not.toContain('internal-value')
        expect(data.items[0].masked_value).toBe('****')
      },
    },
    {
      claim: 'filters, search and preloads work as on every list',
      as: 'member',
      route: 'POST /secrets/list',
      body: ({ plain }: { plain: GivenSecret }) => ({
        filters: [{ field: 'key', operator: 'eq', value: plain.key }],
        search: { term: 'PRESS' },
        preloads: ['user', 'team'],
      }),
      status: 200,
      check: ({ data }, { plain }, world) => {
        expect(data.total_items).toBe(1)
        expect(data.items[0]).toMatchObject({ id: plain.id, key: plain.key, user: { id: world.people.owner.userId } })
      },
    },
    {
      claim: 'an unknown filter column is refused',
      as: 'member',
      route: 'POST /secrets/list',
      body: { filters: [{ field: 'value_sealed', value: 'x' }] },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a broken cursor is refused',
      as: 'member',
      query: { cursor: 'broken' },
      status: 400,
      code: 'invalid_request',
    },
    {
      claim: 'a key with the scope',
      as: 'member-key:secrets:read',
      status: 200,
      check: ({ data }, { plain }) =>
        expect(data.items.some((item: { key: string }) => item.key === plain.key)).toBe(true),
    },
    {
      claim: 'another workspace sees nothing of it',
      as: 'stranger',
      status: 200,
      check: ({ data }) => expect(data.items).toEqual([]),
    },
  ],
)

scenarios('secrets.get', (world) => givenSecret(world), [
  {
    claim: 'a member sees everything but the value',
    as: 'member',
    path,
    status: 200,
    check: ({ data, text }, given, world) => {
      expect(data).toMatchObject({
        id: given.id,
        key: given.key,
        masked_value: '****abcd',
        description: '',
        scope: 'team',
        team_id: world.team.id,
        user_id: world.people.owner.userId,
        visibility: 'team',
        version: 1,
        deleted_at: null,
      })
      expect(data).not.toHaveProperty('credential_id')
      expect(text).not.toContain(given.value)
    },
  },
  { claim: 'an unknown key', as: 'member', path: missing, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger', path, status: 404, code: 'not_found' },
])

scenarios('secrets.update', (world) => givenSecret(world, { description: 'kept' }), [
  {
    claim: 'an admin replaces the value; a description left out is kept',
    as: 'admin',
    path,
    body: { value },
    status: 200,
    audits: ['secret.updated'],
    emits: ['team/secrets'],
    check: async ({ data, text }, { key }, world) => {
      expect(data).toMatchObject({ key, description: 'kept', version: 2, masked_value: '****6789' })
      expect(text).not.toContain(value)
      expect((await world.call('admin', `GET /secrets/reveal/${key}`)).data).toEqual({ key, value })
    },
  },
  {
    claim: 'a description that is sent is written',
    as: 'admin',
    path,
    body: { value, description: 'new' },
    status: 200,
    audits: ['secret.updated'],
    emits: ['team/secrets'],
    check: ({ data }) => expect(data.description).toBe('new'),
  },
  { claim: 'a missing value', as: 'admin', path, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'an empty value', as: 'admin', path, body: { value: '' }, status: 400, code: 'invalid_request' },
  { claim: 'a value that is no text', as: 'admin', path, body: { value: 1 }, status: 400, code: 'validation_error' },
  { claim: 'an unknown key', as: 'admin', path: missing, body: { value }, status: 404, code: 'not_found' },
  { claim: 'a plain member', as: 'member', path, body: { value }, status: 403, code: 'team_role_required' },
  { claim: 'another workspace', as: 'stranger', path, body: { value }, status: 404, code: 'not_found' },
  {
    claim: 'a workspace key is no admin',
    as: 'workspace-key:secrets:write',
    path,
    body: { value },
    status: 403,
    code: 'team_role_required',
  },
])

scenarios('secrets.update', async (world) => ({ key: await givenInternal(world) }), [
  {
    claim: 'what a credential manages is not changed by people',
    as: 'admin',
    path,
    body: { value },
    status: 404,
    code: 'not_found',
  },
])

scenarios('secrets.reveal', (world) => givenSecret(world), [
  {
    claim: 'an admin reads the value, and the audit log says so',
    as: 'admin',
    path,
    status: 200,
    audits: ['secret.revealed'],
    check: ({ data, headers }, { key, value }) => {
      expect(data).toEqual({ key, value })
      expect(headers['cache-control']).toBe('no-store')
    },
  },
  {
    claim: 'an admin’s key with the read scope',
    as: 'admin-key:secrets:read',
    path,
    status: 200,
    audits: ['secret.revealed'],
  },
  { claim: 'a plain member', as: 'member', path, status: 403, code: 'team_role_required' },
  { claim: 'an unknown key', as: 'admin', path: missing, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
])

scenarios(
  'secrets.reveal',
  async (world) => {
    const { db } = world.open.platform
    await db
      .insertInto('team_members')
      .values({ id: freshKey(), team_id: world.team.id, user_id: world.people.platform.userId, role: 'member' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return givenSecret(world)
  },
  [
    {
      claim: 'a platform admin bypasses the role check',
      as: 'platform',
      team: 'mill',
      path,
      status: 200,
      audits: ['secret.revealed'],
      check: ({ data }, { value }) => expect(data.value).toBe(value),
    },
  ],
)

scenarios('secrets.delete', (world) => givenSecret(world), [
  {
    claim: 'an admin destroys the secret with its values and vault links; the name is free again',
    as: 'admin',
    path,
    status: 200,
    audits: ['secret.deleted'],
    emits: ['team/secrets'],
    check: async ({ data }, { id, key }, world) => {
      expect(data).toEqual({ success: true })
      const { db } = world.open.platform
      expect(await db.selectFrom('secret_versions').selectAll().where('secret_id', '=', id).execute()).toEqual([])
      expect(await db.selectFrom('vault_secrets').selectAll().where('secret_id', '=', id).execute()).toEqual([])
      expect((await world.call('admin', `GET /secrets/${key}`)).status).toBe(404)
      expect((await world.call('admin', 'POST /secrets', { body: { key, value } })).status).toBe(200)
    },
  },
  { claim: 'an unknown key', as: 'admin', path: missing, status: 404, code: 'not_found' },
  { claim: 'a plain member', as: 'member', path, status: 403, code: 'team_role_required' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
])
