// Guarantees: the log has every attempt with its result. Triggers of every type can be fired by hand, and failures have
// the body that the wire format requires. A stored fire can be replayed. Workspaces are isolated. The log is read
// through its indexes.
import { newId, shortId } from '@millrace/contract/ids'
import type { Trigger, TriggerFire } from '@millrace/contract/triggers'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setEntitlement } from '#accounts/plans/service.ts'
import type { Db } from '#platform/db/database.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { selectFires } from './fires-store.ts'
import { sweepFires } from './sweep.ts'
import { expiryOf, firesOf, givenTrigger, sendHook, tasksOf } from './testing/given.ts'

const unknownId = '0'.repeat(26)
const dayMs = 86_400_000

const retire = (world: World, { app_id: id }: Trigger) =>
  world.call('owner', `POST /apps/${id}/status`, { body: { status: 'retired' } })

type Given = { trigger: Trigger; broken: Trigger }

const given = async (world: World): Promise<Given> => {
  const broken = await givenTrigger(world, { type: 'manual' })
  await retire(world, broken)
  return { trigger: await givenTrigger(world, { type: 'manual', input: { n: 5 } }), broken }
}

scenarios('triggers.fire', given, [
  {
    claim: 'a key does not fire the expiry of an interrupt early',
    as: 'key:agents:execute',
    act: async (world) => world.call('key:agents:execute', `POST /triggers/${(await expiryOf(world)).id}/fire`),
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'any member fires it; without a body, the input of the trigger is used',
    as: 'member',
    path: ({ trigger: { id } }) => ({ id }),
    status: 200,
    emits: ['tasks', 'team/triggers'],
    check: async ({ data }, { trigger }, world) => {
      expect(data).toEqual({ fired: true, task_id: expect.any(String) })
      expect(await firesOf(world, trigger)).toMatchObject([{ status: 'success', task_id: data.task_id, payload: {} }])
      expect(await tasksOf(world, trigger)).toMatchObject([
        { id: data.task_id, input: { n: 5 }, user_id: world.people.owner.userId, visibility: 'team' },
      ])
      const shown = await world.call('owner', `GET /triggers/${trigger.id}`)
      expect(shown.data).toMatchObject({ fire_count: 1, last_fired_at: expect.any(String) })
    },
  },
  {
    claim: 'with a payload; by its short id',
    as: 'key:agents:execute',
    path: ({ trigger: { short_id: id } }) => ({ id }),
    body: { n: 6 },
    status: 200,
    emits: ['tasks', 'team/triggers'],
    check: async (_answer, { trigger }, world) => {
      expect(await firesOf(world, trigger)).toMatchObject([{ payload: { n: 6 } }])
      expect(await tasksOf(world, trigger)).toMatchObject([{ input: { n: 6 } }])
    },
  },
  {
    claim: 'a disabled one',
    as: 'owner',
    act: async (world, { trigger }) => {
      await world.call('owner', `POST /triggers/${trigger.id}`, { body: { enabled: false } })
      return world.call('owner', `POST /triggers/${trigger.id}/fire`)
    },
    status: 200,
  },
  {
    claim: 'a target that cannot run: the full error body and a row in the log',
    as: 'owner',
    path: ({ broken: { id } }) => ({ id }),
    status: 500,
    code: 'fire_error',
    emits: ['team/triggers'],
    check: async ({ json, headers }, { broken }, world) => {
      const detail = 'The app is retired'
      expect(headers['content-type']).toContain('application/problem+json')
      expect(json).toEqual({
        type: `${world.open.platform.settings.BASE_URL}/errors/fire_error`,
        title: expect.any(String),
        status: 500,
        detail,
        meta: { reason: 'app_retired' },
        success: false,
        error: { code: 'fire_error', message: detail },
      })
      const [fire, ...others] = await firesOf(world, broken)
      expect(others).toEqual([])
      expect(fire).toMatchObject({ status: 'error', error: detail })
      expect(fire).not.toHaveProperty('task_id')
    },
  },
  {
    claim: 'an input that the app refuses',
    as: 'owner',
    path: ({ trigger: { id } }) => ({ id }),
    body: { n: 'six' },
    status: 500,
    code: 'fire_error',
    emits: ['team/triggers'],
    check: async ({ json }, { trigger }, world) => {
      expect(json.meta).toEqual({ reason: 'validation_error' })
      expect(await firesOf(world, trigger)).toMatchObject([{ status: 'error', payload: { n: 'six' } }])
    },
  },
  {
    claim: 'an unknown trigger',
    as: 'owner',
    path: { id: unknownId },
    status: 500,
    code: 'fire_error',
    check: ({ json }) => expect(json).toMatchObject({ success: false, status: 500, detail: 'Trigger not found' }),
  },
  {
    claim: 'a body that is not an object',
    as: 'owner',
    path: ({ trigger: { id } }) => ({ id }),
    body: [1],
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a trigger of another workspace by its full id; a short id is the same as none; nothing is logged',
    as: 'stranger',
    path: ({ trigger: { id } }) => ({ id }),
    status: 403,
    code: 'forbidden',
    check: async (_answer, { trigger }, world) => {
      const [byShortId, none] = await Promise.all(
        [shortId(trigger.id), shortId(newId())].map((id) => world.call('stranger', `POST /triggers/${id}/fire`)),
      )
      expect(byShortId?.status).toBe(500)
      expect(byShortId?.json).toEqual(none?.json)
      expect(await firesOf(world, trigger)).toEqual([])
    },
  },
])

type Fired = { trigger: Trigger; fire: TriggerFire }

const givenFire = async (world: World, payload: unknown = { n: 3 }): Promise<Fired> => {
  const trigger = await givenTrigger(world)
  await sendHook(world, trigger, payload)
  const [fire] = await firesOf(world, trigger)
  if (!fire) throw new Error('The hook was not logged')
  return { trigger, fire }
}

scenarios('trigger_fires.get', (world) => givenFire(world), [
  {
    claim: 'a fire with its trigger',
    as: 'member',
    path: ({ fire: { id } }) => ({ id }),
    status: 200,
    check: ({ data }, { trigger, fire }) => {
      expect(data).toMatchObject({
        id: fire.id,
        trigger_id: trigger.id,
        trigger: { id: trigger.id, name: 'Nightly' },
        status: 'success',
        payload: { n: 3 },
        duration_ms: 0,
        task_id: expect.any(String),
        duplicates: 0,
        deleted_at: null,
      })
      expect(data).not.toHaveProperty('error')
    },
  },
  { claim: 'by its short id', as: 'owner', path: ({ fire: { short_id: id } }) => ({ id }), status: 200 },
  {
    claim: 'the log outlives the trigger',
    as: 'owner',
    act: async (world, { trigger, fire }) => {
      await world.call('owner', `DELETE /triggers/${trigger.id}`)
      return world.call('owner', `GET /trigger-fires/${fire.id}`)
    },
    status: 200,
    check: ({ data }) => expect(data.trigger).toBeNull(),
  },
  { claim: 'unknown', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path: ({ fire: { id } }) => ({ id }), status: 404, code: 'not_found' },
])

scenarios(
  'trigger_fires.list',
  (world) => givenFire(world),
  [
    {
      claim: 'newest first, with the complete page object',
      as: 'member',
      status: 200,
      check: ({ data }, { fire }) => {
        expect(data.items[0].id).toBe(fire.id)
        expect(data).toMatchObject({
          next_cursor: expect.any(String),
          prev_cursor: '',
          has_next: expect.any(Boolean),
          has_previous: false,
          total_items: data.items.length,
        })
      },
    },
    {
      claim: 'filtered by trigger, status and time, with the trigger',
      as: 'owner',
      route: 'POST /trigger-fires/list',
      body: ({ trigger }: Fired) => ({
        filters: [
          { field: 'trigger_id', operator: 'eq', value: trigger.id },
          { field: 'status', operator: 'in', value: ['success'] },
          { field: 'created_at', operator: 'gt', value: '2020-01-01T00:00:00Z' },
          { field: 'updated_at', operator: 'gt', value: '2020-01-01T00:00:00Z' },
        ],
        preloads: ['trigger'],
      }),
      status: 200,
      check: ({ data }, { trigger, fire }) =>
        expect(data.items).toMatchObject([{ id: fire.id, trigger: { id: trigger.id } }]),
    },
    {
      claim: 'the trigger without its id',
      as: 'owner',
      route: 'POST /trigger-fires/list',
      body: ({ trigger }: Fired) => ({
        filters: [{ field: 'trigger_id', value: trigger.id }],
        fields: ['trigger'],
        preloads: ['trigger'],
      }),
      status: 200,
      check: ({ data }, { trigger, fire }) =>
        expect(data.items).toEqual([{ id: fire.id, trigger: expect.objectContaining({ id: trigger.id }) }]),
    },
    {
      claim: 'another workspace sees nothing',
      as: 'stranger',
      status: 200,
      check: ({ data }) => expect(data.items).toEqual([]),
    },
    {
      claim: 'an unknown column',
      as: 'owner',
      route: 'POST /trigger-fires/list',
      body: { filters: [{ field: 'payload', operator: 'eq', value: 'x' }] },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a broken cursor',
      as: 'owner',
      route: 'POST /trigger-fires/list',
      body: { cursor: 'broken' },
      status: 400,
      code: 'invalid_request',
    },
  ],
  ownWorld,
)

scenarios('trigger_fires.replay', (world) => givenFire(world), [
  {
    claim: 'the payload again, as a new fire',
    as: 'member',
    path: ({ fire: { id } }) => ({ id }),
    status: 200,
    emits: ['tasks', 'team/triggers'],
    check: async ({ data }, { trigger, fire }, world) => {
      expect(data).toEqual({ fired: true, task_id: expect.any(String) })
      expect(data.task_id).not.toBe(fire.task_id)
      const fires = await firesOf(world, trigger)
      expect(fires.map(({ payload, status }) => ({ payload, status }))).toEqual([
        { payload: { n: 3 }, status: 'success' },
        { payload: { n: 3 }, status: 'success' },
      ])
      expect((await tasksOf(world, trigger)).map(({ input }) => input)).toEqual([{ n: 3 }, { n: 3 }])
    },
  },
  {
    claim: 'a fire that the filters rejected',
    as: 'owner',
    act: async (world) => {
      const trigger = await givenTrigger(world, { filters: [{ field: 'never', operator: 'exists' }] })
      await sendHook(world, trigger, { n: 1 })
      const [fire] = await firesOf(world, trigger)
      return world.call('owner', `POST /trigger-fires/${fire?.id}/replay`)
    },
    status: 200,
  },
  {
    claim: 'a payload that was too large to store',
    as: 'owner',
    act: async (world) => {
      const { fire } = await givenFire(world, { text: 'x'.repeat(70_000) })
      return world.call('owner', `POST /trigger-fires/${fire.id}/replay`)
    },
    status: 409,
    code: 'invalid_state',
  },
  {
    claim: 'a deleted trigger',
    as: 'owner',
    act: async (world, { trigger, fire }) => {
      await world.call('owner', `DELETE /triggers/${trigger.id}`)
      return world.call('owner', `POST /trigger-fires/${fire.id}/replay`)
    },
    status: 500,
    code: 'fire_error',
  },
  { claim: 'unknown', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path: ({ fire: { id } }) => ({ id }), status: 404, code: 'not_found' },
])

describe('the log', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  it('answers a repeated request without firing again, for success and failure', async () => {
    const [trigger, broken] = [await givenTrigger(world, { type: 'manual' }), await givenTrigger(world)]
    await retire(world, broken)
    const fire = ({ id }: Trigger) =>
      world.call('owner', `POST /triggers/${id}/fire`, { headers: { 'idempotency-key': `fire-${id}` } })
    const [first, second] = [await fire(trigger), await fire(trigger)]
    expect(second.data).toEqual(first.data)
    expect(await firesOf(world, trigger)).toHaveLength(1)
    expect([(await fire(broken)).code, (await fire(broken)).code]).toEqual(['fire_error', 'fire_error'])
    expect(await firesOf(world, broken)).toHaveLength(1)
  })

  it('is retained as long as the plan says', async () => {
    const trigger = await givenTrigger(world)
    // Sessions would expire before.
    const fire = async (): Promise<string> => {
      const { data } = await world.call('key:', `POST /triggers/${trigger.id}/fire`)
      return data.task_id
    }
    const sweptAfter = async (days: number) => {
      world.clock.advance(days * dayMs)
      await sweepFires(world.ctx())
      return (await firesOf(world, trigger, 'key:')).map(({ task_id }) => task_id)
    }
    const first = await fire()
    expect(await sweptAfter(89)).toEqual([first])
    await setEntitlement(world.ctx(), world.team.id, 'retention_days', null)
    expect(await sweptAfter(300)).toEqual([first])
    const second = await fire()
    await setEntitlement(world.ctx(), world.team.id, 'retention_days', 7)
    expect(await sweptAfter(6)).toEqual([second])
    expect(await sweptAfter(2)).toEqual([])
  })
})

describe('the log', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  // The indexes exclude waiting fires, so statements must exclude them literally to use the indexes.
  it.each([
    ['of a workspace', 'trigger_fires_team', selectFires],
    [
      'of a trigger',
      'trigger_fires_trigger',
      (db: Db, teamId: string) => selectFires(db, teamId).where('trigger_id', '=', 'any'),
    ],
  ])('%s is read through its index, also with a generic plan', async (_claim, index, select) => {
    const plan = await world.open.platform.db.transaction().execute(async (db) => {
      await sql`set local enable_seqscan = off`.execute(db)
      const { sql: text } = select(db, 'any').orderBy('created_at', 'desc').orderBy('id', 'desc').compile()
      return sql.raw<Record<string, string>>(`explain (generic_plan) ${text}`).execute(db)
    })
    expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(index)
  })
})
