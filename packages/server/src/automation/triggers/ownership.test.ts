// Guarantees: a colleague's trigger never acts in the colleague's name on someone else's decision.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { createTrigger, givenApp } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const ofOwner = async (type: 'webhook' | 'cron' | 'scheduled') =>
  createTrigger(world, 'owner', {
    name: 'Nightly',
    type,
    action: 'run_app',
    app_id: (await givenApp(world)).id,
    ...(type === 'cron' ? { config: { expression: '0 3 * * *' } } : {}),
    ...(type === 'scheduled' ? { scheduled_at: '2031-01-01T00:00:00Z' } : {}),
  })

const lastAudit = async () =>
  (await world.call('owner', 'GET /audit-log', { query: { limit: '1' } })).data.items[0].meta as Record<string, unknown>

describe('editing a colleague’s trigger', () => {
  it.each<['webhook' | 'cron' | 'scheduled', string, object]>([
    ['webhook', 'input', { input: { n: 1 } }],
    ['webhook', 'mapping', { input_mapping: {} }],
    ['cron', 'schedule', { config: { expression: '0 4 * * *' } }],
    ['scheduled', 'time', { scheduled_at: '2031-02-01T00:00:00Z' }],
  ])(
    'of a %s trigger: a caller who changes its %s becomes its owner, and the audit log names the former owner',
    async (type, _, body) => {
      const { id } = await ofOwner(type)
      world.clock.advance(1)
      const { data } = await world.call('member-key:agents:write,flows:write,apps:execute', `POST /triggers/${id}`, {
        body,
      })
      expect(data.user_id).toBe(world.people.member.userId)
      expect(await lastAudit()).toMatchObject({
        former_owner_id: world.people.owner.userId,
        owner_id: world.people.member.userId,
      })
      const row = await world.open.platform.db
        .selectFrom('triggers')
        .select('run_as')
        .where('id', '=', id)
        .executeTakeFirst()
      expect(row?.run_as).toMatchObject({ kind: 'listed', scopes: expect.not.arrayContaining(['secrets:read']) })
    },
  )

  it.each([
    ['name', { name: 'Daily' }],
    ['switch', { enabled: false }],
  ])('a caller who changes its %s does not become its owner', async (_, body) => {
    const { id } = await ofOwner('webhook')
    world.clock.advance(1)
    const { data } = await world.call('member', `POST /triggers/${id}`, { body })
    expect(data.user_id).toBe(world.people.owner.userId)
    expect(await lastAudit()).not.toHaveProperty('owner_id')
  })

  it('any member sees, fires and deletes it', async () => {
    const { id } = await ofOwner('webhook')
    const statuses = [
      (await world.call('member', `GET /triggers/${id}`)).status,
      (await world.call('member', `POST /triggers/${id}/fire`, { body: {} })).status,
      (await world.call('member', `DELETE /triggers/${id}`)).status,
    ]
    expect(statuses).toEqual([200, 200, 200])
  })
})
