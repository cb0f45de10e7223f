// Guarantees: the server itself reads the current value with the highest precedence, and its fingerprint changes with
// the value.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import {
  deleteInternalSecret,
  internalSecretValue,
  runSecretsFingerprint,
  secretsForRun,
  secretValue,
  storeInternalSecret,
} from './service.ts'
import { freshKey, givenOrganization, givenSecret, platformTeamId } from './testing/given.ts'

describe('values for the server itself', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  it('a value is read without an audit row, and by the platform outside of any request', async () => {
    const { key, value } = await givenSecret(world)
    const audited = (await world.audits()).length
    expect(await secretValue(world.open.platform, world.team.id, key)).toBe(value)
    expect(await secretValue(world.ctx(), world.team.id, key)).toBe(value)
    expect(await world.audits()).toHaveLength(audited)
  })

  it('another workspace’s secret, or none, is null', async () => {
    const { key } = await givenSecret(world)
    expect(await secretValue(world.ctx(), world.otherTeam.id, key)).toBeNull()
    expect(await secretValue(world.ctx(), world.team.id, 'NOT_THERE')).toBeNull()
  })

  it('a run gets what it asks for, and the names of what is missing', async () => {
    const [one, two] = [await givenSecret(world), await givenSecret(world)]
    const answer = await secretsForRun(world.ctx(), world.team.id, [one.key, 'NOT_THERE', two.key])
    expect(answer.values).toEqual({ [one.key]: one.value, [two.key]: two.value })
    expect(answer.missing).toEqual(['NOT_THERE'])
    expect(await secretsForRun(world.ctx(), world.team.id, [])).toMatchObject({ values: {}, missing: [] })
  })

  it('the fingerprint changes with every value and with nothing else', async () => {
    const { key } = await givenSecret(world)
    const ask = () => runSecretsFingerprint(world.ctx(), world.team.id, [key])
    const first = await ask()
    expect((await secretsForRun(world.ctx(), world.team.id, [key])).fingerprint).toBe(first)
    await world.call('owner', `PUT /secrets/${key}/provider`, { body: { provider: 'openai' } })
    expect(await ask()).toBe(first)
    await world.call('owner', `PUT /secrets/${key}`, { body: { value: 'changed' } })
    const second = await ask()
    expect(second).not.toBe(first)
    await world.call('owner', `DELETE /secrets/${key}`)
    await world.call('owner', 'POST /secrets', { body: { key, value: 'changed' } })
    expect(await ask()).not.toBe(second)
  })

  it('what somebody connected for themselves is not used in another’s run', async () => {
    const { key, value } = await givenSecret(world, { provider: 'openai', connection_scope: 'user' })
    const { owner, member } = world.people
    expect((await secretsForRun(world.ctx(), world.team.id, [key], owner.userId)).values).toEqual({ [key]: value })
    expect((await secretsForRun(world.ctx(), world.team.id, [key], member.userId)).missing).toEqual([key])
  })

  it('the organization’s and the platform’s connections are inherited; the nearest wins', async () => {
    const { orgTeamId, memberTeamId } = await givenOrganization(world)
    const platform = await platformTeamId(world)
    const key = freshKey()
    const save = (as: 'admin' | 'platform', team: string, value: string, connection_scope: string) =>
      world.call(as, 'POST /secrets', { team, body: { key, value, provider: 'openai', connection_scope } })
    const read = async (team: string) => (await secretsForRun(world.ctx(), team, [key])).values[key]

    expect((await save('platform', platform, 'of the platform', 'platform')).status).toBe(200)
    expect([await read(memberTeamId), await read(world.otherTeam.id)]).toEqual(['of the platform', 'of the platform'])
    expect((await save('admin', orgTeamId, 'of the guild', 'org')).status).toBe(200)
    expect([await read(memberTeamId), await read(world.otherTeam.id)]).toEqual(['of the guild', 'of the platform'])
    expect((await save('admin', memberTeamId, 'of the team', 'team')).status).toBe(200)
    expect([await read(memberTeamId), await read(orgTeamId)]).toEqual(['of the team', 'of the guild'])
    // A plain secret of another workspace is nobody else's.
    await world.call('platform', `PUT /secrets/${key}/provider`, { team: platform, body: { provider: '' } })
    expect(await read(world.otherTeam.id)).toBeUndefined()
  })

  it('a credential’s own secret is replaced without keeping the old value, and destroyed', async () => {
    const ctx = world.ctx()
    const teamId = world.team.id
    const key = freshKey('TOKEN')
    const { db } = world.open.platform
    for (const value of ['first token', 'second token'])
      await storeInternalSecret(ctx, { teamId, userId: world.people.owner.userId, key, value })
    expect(await internalSecretValue(ctx, teamId, key)).toBe('second token')
    expect(await secretValue(ctx, teamId, key)).toBeNull()
    const { id } = await db.selectFrom('secrets').select('id').where('key', '=', key).executeTakeFirstOrThrow()
    expect(await db.selectFrom('secret_versions').select('number').where('secret_id', '=', id).execute()).toEqual([
      { number: 2 },
    ])
    await deleteInternalSecret(ctx, teamId, key)
    await deleteInternalSecret(ctx, teamId, key)
    expect(await internalSecretValue(ctx, teamId, key)).toBeNull()
    expect(await db.selectFrom('secret_versions').select('number').where('secret_id', '=', id).execute()).toEqual([])
  })
})
