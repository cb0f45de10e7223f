// Guarantees: a workspace has one default vault from the first read on, and a vault is changed as a whole.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenCredential, givenSecret } from '../secrets/testing/given.ts'
import { getDefault } from './service.ts'

type Given = { id: string }
const path = ({ id }: Given) => ({ id })
const missing = { id: '00000000000000000000000000' }

const givenVault = async (world: World): Promise<Given> => {
  const { data } = await world.call('owner', 'POST /vaults', { body: { name: 'Press', description: 'printing' } })
  return { id: data.id }
}

const givenDefault = async (world: World): Promise<Given> => (await world.call('owner', 'GET /vaults/default')).data

scenarios('vaults.list', givenVault, [
  {
    claim: 'members see the vaults of the workspace with their counts',
    as: 'member',
    status: 200,
    check: ({ data }, { id }) =>
      expect(data.items.find((vault: Given) => vault.id === id)).toMatchObject({
        name: 'Press',
        description: 'printing',
        is_default: false,
        credential_count: 0,
        secret_count: 0,
      }),
  },
  {
    claim: 'the POST twin filters, searches and embeds',
    as: 'member',
    route: 'POST /vaults/list',
    body: { filters: [{ field: 'is_default', value: false }], search: { term: 'PRINT' }, preloads: ['team'], limit: 1 },
    status: 200,
    check: ({ data }) => expect(data.items).toMatchObject([{ name: 'Press', team: { username: 'mill' } }]),
  },
  {
    claim: 'an unknown sort column',
    as: 'member',
    route: 'POST /vaults/list',
    body: { sort: [{ field: 'x' }] },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'member', query: { cursor: '%' }, status: 400, code: 'invalid_request' },
  { claim: 'credentials:read is the same scope by another name', as: 'key:credentials:read', status: 200 },
  {
    claim: 'another workspace sees none of them',
    as: 'stranger',
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([]),
  },
])

scenarios('vaults.get_default', () => ({}), [
  {
    claim: 'is made on the first call, and is the same one on the next',
    as: 'member',
    status: 200,
    check: async ({ data }, _given, world) => {
      expect(data).toMatchObject({ name: 'default', is_default: true, secret_count: 0, credential_count: 0 })
      expect((await world.call('admin', 'GET /vaults/default')).data.id).toBe(data.id)
    },
  },
  {
    claim: 'each workspace has its own',
    as: 'stranger',
    status: 200,
    check: ({ data }, _given, world) => expect(data.team_id).toBe(world.otherTeam.id),
  },
])

scenarios('vaults.get', givenVault, [
  { claim: 'by id', as: 'member', path, status: 200, check: ({ data }, { id }) => expect(data.id).toBe(id) },
  { claim: 'by short id', as: 'member', path: ({ id }) => ({ id: id.slice(0, 8) }), status: 200 },
  { claim: 'an unknown id', as: 'member', path: missing, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
])

const body = { name: 'New', description: 'new' }

scenarios('vaults.create', () => ({}), [
  {
    claim: 'a vault, never the default one',
    as: 'member',
    body: { ...body, is_default: true },
    status: 200,
    audits: ['vault.created'],
    check: ({ data }) => expect(data).toMatchObject({ ...body, is_default: false, secret_count: 0 }),
  },
  { claim: 'a missing name', as: 'member', body: {}, status: 400, code: 'validation_error' },
  { claim: 'a workspace key', as: 'workspace-key:integrations:write', body, status: 403, code: 'permission_denied' },
])

scenarios('vaults.replace', givenVault, [
  {
    claim: 'writes all fields',
    as: 'member',
    path,
    body,
    status: 200,
    audits: ['vault.updated'],
    check: ({ data }) => expect(data).toMatchObject(body),
  },
  {
    claim: 'an omitted field becomes empty',
    as: 'member',
    path,
    body: { description: 'only this' },
    status: 200,
    audits: ['vault.updated'],
    check: ({ data }) => expect(data).toMatchObject({ name: '', description: 'only this', is_default: false }),
  },
  {
    claim: 'the default flag moves to the vault that asks for it',
    as: 'member',
    path,
    body: { ...body, is_default: true },
    status: 200,
    audits: ['vault.updated'],
    check: async ({ data }, { id }, world) => {
      expect(data.is_default).toBe(true)
      expect((await world.call('member', 'GET /vaults/default')).data.id).toBe(id)
      const { data: all } = await world.call('member', 'GET /vaults', { query: { limit: '-1' } })
      expect(all.items.filter((vault: { is_default: boolean }) => vault.is_default)).toHaveLength(1)
    },
  },
  {
    claim: 'a flag that is no truth value',
    as: 'member',
    path,
    body: { is_default: 'x' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an unknown id', as: 'member', path: missing, body, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, body, status: 404, code: 'not_found' },
  {
    claim: 'a workspace key',
    as: 'workspace-key:integrations:write',
    path,
    body,
    status: 403,
    code: 'permission_denied',
  },
])

scenarios('vaults.replace', givenDefault, [
  {
    claim: 'the default vault does not lose its flag by leaving it out',
    as: 'member',
    path,
    body: { name: 'default', is_default: false },
    status: 200,
    audits: ['vault.updated'],
    check: ({ data }) => expect(data.is_default).toBe(true),
  },
])

scenarios(
  'vaults.delete',
  async (world) => {
    const vault = await givenVault(world)
    const [secret, credential] = [await givenSecret(world), await givenCredential(world)]
    await world.call('owner', `POST /vaults/${vault.id}/secrets`, { body: { secret_id: secret.id } })
    await world.call('owner', `POST /vaults/${vault.id}/credentials`, { body: { credential_id: credential } })
    return { ...vault, secret, credential }
  },
  [
    {
      claim: 'deletes the vault and its links; secrets and credentials stay',
      as: 'member',
      path,
      status: 200,
      audits: ['vault.deleted'],
      check: async ({ data }, { id, secret, credential }, world) => {
        expect(data).toEqual({ success: true })
        expect((await world.call('member', `GET /vaults/${id}`)).status).toBe(404)
        expect((await world.call('member', `GET /secrets/${secret.key}`)).status).toBe(200)
        const { db } = world.open.platform
        const kept = await db.selectFrom('credentials').select('status').where('id', '=', credential).execute()
        expect(kept).toEqual([{ status: 'connected' }])
        for (const table of ['vault_secrets', 'vault_credentials'] as const)
          expect(await db.selectFrom(table).selectAll().where('vault_id', '=', id).execute()).toEqual([])
      },
    },
    { claim: 'an unknown id', as: 'member', path: missing, status: 404, code: 'not_found' },
    { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
    { claim: 'a workspace key', as: 'workspace-key:integrations:write', path, status: 403, code: 'permission_denied' },
  ],
)

scenarios('vaults.delete', givenDefault, [
  { claim: 'the default vault stays', as: 'owner', path, status: 400, code: 'validation_error' },
])

describe('the default vault', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  it('a caller without a workspace has none', async () => {
    const nowhere = { kind: 'operator', teamId: '', userId: '' } as never
    await expect(getDefault(world.ctx().as(nowhere))).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('is one, however many ask for it first', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.call('member', 'GET /vaults/default')))
    expect(new Set(answers.map((answer) => answer.data.id)).size).toBe(1)
  })

  it('is one, however many vaults ask for the flag at once', async () => {
    const vaults = await Promise.all(Array.from({ length: 6 }, () => givenVault(world)))
    const answers = await Promise.all(
      vaults.map(({ id }) => world.call('owner', `PUT /vaults/${id}`, { body: { ...body, is_default: true } })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200))
    const { data } = await world.call('owner', 'POST /vaults/list', { body: { limit: -1 } })
    expect(data.items.filter((vault: { is_default: boolean }) => vault.is_default)).toHaveLength(1)
  })
})
