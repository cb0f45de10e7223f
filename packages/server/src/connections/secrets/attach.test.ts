// Guarantees: attaching and detaching a secret of a provider updates the status of both credentials.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { storeInternalSecret } from './service.ts'
import {
  credentialRow,
  freshKey,
  freshSlug,
  type GivenSecret,
  givenOrganization,
  givenSecret,
  platformTeamId,
} from './testing/given.ts'

const path = ({ key }: { key: string }) => ({ key })
const other = { provider: 'openrouter' }

scenarios('secrets.change_provider', (world) => givenSecret(world, { provider: freshSlug() }), [
  {
    claim:
      'joins the new credential, which is connected, and leaves the old one, which is disconnected and in no vault',
    as: 'admin',
    path,
    body: other,
    status: 200,
    audits: ['secret.provider_attached'],
    emits: ['team/secrets'],
    check: async ({ data, text }, given, world) => {
      expect(data.credential_id).not.toBe(given.credentialId)
      expect(await credentialRow(world, data.credential_id)).toMatchObject({
        provider: 'openrouter',
        status: 'connected',
        display_name: 'OpenRouter',
      })
      expect(await credentialRow(world, given.credentialId)).toMatchObject({ status: 'disconnected', vault_id: null })
      const { db } = world.open.platform
      const links = await db
        .selectFrom('vault_credentials')
        .selectAll()
        .where('credential_id', '=', given.credentialId ?? '')
        .execute()
      expect(links).toEqual([])
      expect(text).not.toContain(given.value)
    },
  },
  {
    claim: 'an empty provider detaches to a plain secret',
    as: 'admin',
    path,
    body: { provider: '' },
    status: 200,
    audits: ['secret.provider_detached'],
    emits: ['team/secrets'],
    check: async ({ data }, given, world) => {
      expect(data).not.toHaveProperty('credential_id')
      expect(await credentialRow(world, given.credentialId)).toMatchObject({ status: 'disconnected' })
    },
  },
  {
    claim: 'an unlisted provider is named by provider_name',
    as: 'admin',
    path,
    body: () => ({ provider: freshSlug(), provider_name: 'Acme', connection_scope: 'user' }),
    status: 200,
    audits: ['secret.provider_attached'],
    emits: ['team/secrets'],
    check: async ({ data }, _given, world) => {
      const row = await credentialRow(world, data.credential_id)
      expect(row).toMatchObject({ display_name: 'Acme', scope: 'user', status: 'connected' })
    },
  },
  {
    claim: 'no secret with the key',
    as: 'admin',
    path: { key: 'NOT_THERE' },
    body: other,
    status: 404,
    code: 'not_found',
  },
  { claim: 'an invalid slug', as: 'admin', path, body: { provider: 'no_slug' }, status: 400, code: 'validation_error' },
  {
    claim: 'an unknown connection scope',
    as: 'admin',
    path,
    body: { ...other, connection_scope: 'world' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a missing provider', as: 'admin', path, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'a plain member', as: 'member', path, body: other, status: 403, code: 'team_role_required' },
  { claim: 'another workspace', as: 'stranger', path, body: other, status: 404, code: 'not_found' },
])

scenarios(
  'secrets.change_provider',
  async (world) => {
    const key = freshKey('INTERNAL')
    const secret = { teamId: world.team.id, userId: world.people.owner.userId, key, value: 'token-0123456789abcdef' }
    await storeInternalSecret(world.ctx(), secret)
    return { key }
  },
  [
    {
      claim: 'a secret that is not workspace-scoped is refused',
      as: 'admin',
      path,
      body: other,
      status: 400,
      code: 'validation_error',
    },
  ],
)

scenarios(
  'secrets.change_provider',
  async (world) => {
    const { orgTeamId } = await givenOrganization(world)
    const platform = await platformTeamId(world)
    await world.open.platform.db
      .insertInto('team_members')
      .values({ id: freshKey(), team_id: platform, user_id: world.people.admin.userId, role: 'admin' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const key = freshKey()
    for (const team of [orgTeamId, platform])
      await world.call('admin', 'POST /secrets', { team, body: { key, value: 'value' } })
    return { key, orgTeam: orgTeamId, platform }
  },
  [
    {
      claim: 'org needs an org admin',
      as: 'owner',
      team: ({ orgTeam }) => orgTeam,
      path,
      body: { ...other, connection_scope: 'org' },
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'platform needs a platform admin',
      as: 'admin',
      team: ({ platform }) => platform,
      path,
      body: { ...other, connection_scope: 'platform' },
      status: 403,
      code: 'forbidden',
    },
  ],
)

describe('the credential behind secrets', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  const status = async (given: GivenSecret) => (await credentialRow(world, given.credentialId))?.status
  const detach = (given: GivenSecret) =>
    world.call('admin', `PUT /secrets/${given.key}/provider`, { body: { provider: '' } })

  it('stays connected until its last secret leaves, by detaching or by deletion', async () => {
    const provider = freshSlug()
    const [one, two] = [await givenSecret(world, { provider }), await givenSecret(world, { provider })]
    expect(one.credentialId).toBe(two.credentialId)
    await detach(one)
    expect(await status(two)).toBe('connected')
    await world.call('admin', `DELETE /secrets/${two.key}`)
    expect(await status(two)).toBe('disconnected')
  })

  it('is connected again, and back in the default vault, when a secret returns', async () => {
    const provider = freshSlug()
    const given = await givenSecret(world, { provider, provider_name: 'First' })
    await detach(given)
    const again = await world.call('admin', `PUT /secrets/${given.key}/provider`, { body: { provider } })
    expect(again.data.credential_id).toBe(given.credentialId)
    expect(await credentialRow(world, given.credentialId)).toMatchObject({ status: 'connected', display_name: 'First' })
    const vault = (await world.call('admin', 'GET /vaults/default')).data
    const inside = (await world.call('admin', `GET /vaults/${vault.id}/credentials`)).data
    expect(inside.map((one: { id: string }) => one.id)).toContain(given.credentialId)
  })

  it('is connected by a new key after an error', async () => {
    const given = await givenSecret(world, { provider: freshSlug() })
    await world.open.platform.db
      .updateTable('credentials')
      .set({ status: 'error', error_message: 'the key was refused' })
      .where('id', '=', given.credentialId ?? '')
      .execute()
    await world.call('admin', `PUT /secrets/${given.key}`, { body: { value: 'a better key' } })
    expect(await credentialRow(world, given.credentialId)).toMatchObject({ status: 'connected', error_message: '' })
  })

  it('secrets that swap providers at the same time end up connected', async () => {
    const [a, b] = [freshSlug(), freshSlug()]
    const [one, two] = [await givenSecret(world, { provider: a }), await givenSecret(world, { provider: b })]
    for (let round = 0; round < 5; round++) {
      const [first, second] = round % 2 === 0 ? [b, a] : [a, b]
      const answers = await Promise.all([
        world.call('admin', `PUT /secrets/${one.key}/provider`, { body: { provider: first } }),
        world.call('admin', `PUT /secrets/${two.key}/provider`, { body: { provider: second } }),
      ])
      expect(answers.map((answer) => answer.status)).toEqual([200, 200])
      expect([await status(one), await status(two)]).toEqual(['connected', 'connected'])
    }
  })
})
