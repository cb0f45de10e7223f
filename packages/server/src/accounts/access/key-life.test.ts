// Guarantees: the lifecycle of a key: stored as a hash, used, rotated, expired, swept; it ends with the membership or
// the workspace that it belongs to.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { givenKey, keyWorks } from '../../testing/keys.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { setEntitlement } from '../plans/service.ts'
import { accessFeature } from './feature.ts'
import { revokeKeysOfMember, revokeKeysOfTeam } from './keys.ts'

const hourMs = 3600_000

describe('the life of a key', () => {
  let world: World
  beforeAll(async () => {
    // With jobs, so that the schedule of the sweep is one that the job runner accepts.
    world = await createWorld({ runJobs: true })
  })
  afterAll(() => world?.close())

  const sweep = async () => {
    for (const { handler } of accessFeature.crons?.(world.open.platform) ?? []) await handler({})
  }

  const row = (id: string) =>
    world.open.platform.db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()

  it('stores a hash and four characters, never the value', async () => {
    const { id, key } = await givenKey(world, 'owner')
    const text = JSON.stringify(await row(id))
    expect(text).not.toContain(key)
    expect(text).not.toContain(key.slice(5, 20))
    const { data } = await world.call('owner', 'GET /apikeys', {
      query: { filters: JSON.stringify([{ field: 'id', operator: 'eq', value: id }]) },
    })
    expect(data.items[0].key).toBe(`mill-****${key.slice(-4)}`)
  })

  it('within 24 hours is temporary; an expired key is refused at once, gone from the list, and swept', async () => {
    const expiresAt = new Date(world.clock.now().getTime() + hourMs).toISOString()
    const { id, key } = await givenKey(world, 'owner', { expires_at: expiresAt })
    expect((await row(id))?.source).toBe('token')
    expect(await keyWorks(world, key)).toBe(true)
    world.clock.advance(hourMs)
    expect(await keyWorks(world, key)).toBe(false)
    const { data } = await world.call('owner', 'POST /apikeys/list', { body: { limit: -1 } })
    expect(data.items.map((item: { id: string }) => item.id)).not.toContain(id)
    expect((await world.call('owner', `DELETE /apikeys/${id}`)).status).toBe(404)
    await sweep()
    expect(await row(id)).toBeUndefined()
  })

  it('rotated twice, an old value ends with the shorter grace', async () => {
    const { id, key: first } = await givenKey(world, 'owner')
    const rotate = async (graceSeconds: number) =>
      (await world.call('owner', `POST /apikeys/${id}/rotate`, { body: { grace_seconds: graceSeconds } })).data.key
    const second = await rotate(24 * 3600)
    expect([await keyWorks(world, first), await keyWorks(world, second)]).toEqual([true, true])
    const third = await rotate(60)
    expect([await keyWorks(world, first), await keyWorks(world, second), await keyWorks(world, third)]).toEqual([
      true,
      true,
      true,
    ])
    world.clock.advance(60_000)
    expect([await keyWorks(world, first), await keyWorks(world, second), await keyWorks(world, third)]).toEqual([
      false,
      false,
      true,
    ])
    expect((await world.call('owner', `DELETE /apikeys/${id}`)).status).toBe(200)
    expect(await keyWorks(world, third)).toBe(false)
  })

  it('last_used_at is written at first use and then at most every five minutes', async () => {
    const { id, key } = await givenKey(world, 'owner')
    expect((await row(id))?.last_used_at).toBeNull()
    const usedAt = world.clock.now().toISOString()
    await keyWorks(world, key)
    const first = await vi.waitUntil(async () => (await row(id))?.last_used_at, 60_000)
    expect(Date.parse(first)).toBe(Date.parse(usedAt))
    world.clock.advance(4 * 60_000)
    await keyWorks(world, key)
    world.clock.advance(60_000)
    await keyWorks(world, key)
    const second = await vi.waitUntil(async () => {
      const now = (await row(id))?.last_used_at
      return now !== first && now
    }, 60_000)
    expect(Date.parse(second) - Date.parse(first)).toBe(5 * 60_000)
    const { data } = await world.call('owner', 'POST /apikeys/list', {
      body: { filters: [{ field: 'id', operator: 'eq', value: id }] },
    })
    expect(data.items[0].last_used_at).toBe(second)
  })

  it('the limit is exact when many are made at once', async () => {
    const { db } = world.open.platform
    await db.deleteFrom('api_keys').where('team_id', '=', world.otherTeam.id).execute()
    await setEntitlement(world.ctx(), world.otherTeam.id, 'api_keys', 3)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.call('stranger', 'POST /apikeys', { body: { name: 'k' } })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, ...Array(7).fill(402)])
  })

  it('two first workspace keys made at once share one service account', async () => {
    const answers = await Promise.all(
      ['owner', 'admin'].map((as) =>
        world.call(as as As, 'POST /apikeys', { body: { name: 'k', scope: 'workspace' } }),
      ),
    )
    expect(new Set(answers.map(({ data }) => data.user_id)).size).toBe(1)
  })

  it('leaving ends personal keys; workspace keys live on; coming back revives nothing', async () => {
    const personal = await givenKey(world, 'admin')
    const workspace = await givenKey(world, 'admin', { scope: 'workspace' })
    expect([await keyWorks(world, personal.key), await keyWorks(world, workspace.key)]).toEqual([true, true])
    const { userId } = world.people.admin
    const { db } = world.open.platform
    const membership = await world.ctx().tx(async (ctx) => {
      const left = await ctx.db
        .deleteFrom('team_members')
        .where('team_id', '=', world.team.id)
        .where('user_id', '=', userId)
        .returningAll()
        .executeTakeFirstOrThrow()
      await revokeKeysOfMember(ctx, world.team.id, userId)
      return left
    })
    expect([await keyWorks(world, personal.key), await keyWorks(world, workspace.key)]).toEqual([false, true])
    expect(await world.audits()).toContain('api_key.revoked')
    await db.insertInto('team_members').values(membership).execute()
    expect(await keyWorks(world, personal.key)).toBe(false)
  })

  it('a member who is being removed leaves no key behind, even while the sign-in is still remembered', async () => {
    const { userId } = world.people.member
    expect((await world.call('member', 'GET /apikeys')).status).toBe(200)
    await world.open.platform.db.deleteFrom('team_members').where('user_id', '=', userId).execute()
    const answer = await world.call('member', 'POST /apikeys', { body: { name: 'k' } })
    expect([answer.status, answer.code]).toEqual([401, 'unauthorized'])
  })

  it('an archived workspace takes all its keys along', async () => {
    const personal = await givenKey(world, 'owner')
    const workspace = await givenKey(world, 'owner', { scope: 'workspace' })
    await world.ctx().tx((ctx) => revokeKeysOfTeam(ctx, world.team.id))
    expect([await keyWorks(world, personal.key), await keyWorks(world, workspace.key)]).toEqual([false, false])
  })

  it('the sweep leaves live keys alone, and revoked ones for a month', async () => {
    const live = await givenKey(world, 'owner')
    const revoked = await givenKey(world, 'owner')
    expect((await world.call('owner', `DELETE /apikeys/${revoked.id}`)).status).toBe(200)
    await sweep()
    expect([await row(live.id), await row(revoked.id)]).not.toContain(undefined)
    world.clock.advance(30 * 24 * hourMs)
    await sweep()
    expect(await row(live.id)).toBeDefined()
    expect(await row(revoked.id)).toBeUndefined()
  })
})
