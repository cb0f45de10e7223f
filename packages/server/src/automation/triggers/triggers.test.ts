// Guarantees: members with the scope create, see, change and delete triggers that can fire, and no one else sees them.
// The workspace's limit holds. Only relevant changes reschedule a trigger.
import type { App } from '@millrace/contract/apps'
import type { Trigger } from '@millrace/contract/triggers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setEntitlement } from '#accounts/plans/service.ts'
import { deploy } from '#execution/apps/testing/given.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { triggerSources } from './sources.ts'
import { createTrigger, expiryOf, givenApp, givenTrigger } from './testing/given.ts'

const manual = (app: App) => ({ name: 'Nightly', type: 'manual', action: 'run_app', app_id: app.id })
const unknownId = '0'.repeat(26)

type Given = { app: App; hidden: App; foreign: App }

const unread = (field: string) => ({
  level: 'warning',
  code: 'ignored_field',
  message: expect.stringContaining(`${field} has no effect`),
  meta: { field },
})

scenarios(
  'triggers.create',
  async (world) => {
    await setEntitlement(world.ctx(), world.team.id, 'triggers', null)
    return {
      app: await givenApp(world),
      hidden: await deploy(world, 'member'),
      foreign: await deploy(world, 'stranger'),
    }
  },
  [
    {
      claim: 'an unknown field of its config is stored and reported',
      as: 'member',
      body: ({ app }: Given) => ({ ...manual(app), type: 'webhook', config: { secret: 'HOOK' } }),
      status: 200,
      emits: ['team/triggers', 'triggers'],
      audits: ['trigger.created'],
      check: ({ data, json }) => {
        expect(data.config).toEqual({ secret: 'HOOK' })
        expect(json.messages).toEqual([unread('config.secret')])
      },
    },
    {
      claim: 'a member creates one; it shows the input schema of its target',
      as: 'member',
      body: ({ app }: Given) => manual(app),
      status: 200,
      emits: ['team/triggers', 'triggers'],
      audits: ['trigger.created'],
      check: ({ data }, { app }, world) => {
        expect(data).toMatchObject({
          ...manual(app),
          enabled: true,
          config: {},
          input: {},
          input_mapping: {},
          filters: [],
          source: null,
          fire_count: 0,
          team_id: world.team.id,
          user_id: world.people.member.userId,
          visibility: 'team',
          deleted_at: null,
          project_id: null,
          input_schema: { type: 'object' },
        })
        expect(data.short_id).toBe(data.id.slice(0, 8))
        expect(Object.keys(data)).not.toEqual(expect.arrayContaining(['webhook_url']))
      },
    },
    {
      claim: 'a webhook trigger has an address and a source',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), type: 'webhook', source_id: 'github' }),
      status: 200,
      audits: ['trigger.created'],
      emits: ['team/triggers', 'triggers'],
      check: ({ data }, _given, world) => {
        expect(data.webhook_url).toBe(`${world.open.platform.settings.BASE_URL}/triggers/${data.id}/hook`)
        expect(data.source).toMatchObject({ key: 'github', strategy: 'hmac-sha256' })
        expect(data.source_id).toBe(data.source.id)
      },
    },
    {
      claim: 'a source by its id; the short id of an app',
      as: 'owner',
      body: ({ app }: Given) => ({
        ...manual(app),
        app_id: app.short_id,
        type: 'webhook',
        source_id: triggerSources[4]?.id,
      }),
      status: 200,
      audits: ['trigger.created'],
      emits: ['team/triggers', 'triggers'],
      check: ({ data }, { app }) => {
        expect(data.source.key).toBe(triggerSources[4]?.key)
        expect(data.app_id).toBe(app.id)
      },
    },
    {
      claim: 'a scheduled trigger shows its time, also one in the past',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), type: 'scheduled', scheduled_at: '2020-01-01T00:00:00+02:00' }),
      status: 200,
      audits: ['trigger.created'],
      emits: ['team/triggers', 'triggers'],
      check: ({ data }) => expect(data.scheduled_at).toBe('2019-12-31T22:00:00.000000Z'),
    },
    {
      claim: 'a key without apps:read does not get the schemas',
      as: 'key:agents:write',
      body: ({ app }: Given) => manual(app),
      status: 200,
      audits: ['trigger.created'],
      emits: ['team/triggers', 'triggers'],
      check: ({ data }) => expect(data).not.toHaveProperty('input_schema'),
    },
    {
      claim: 'an admin sets a secret',
      as: 'admin',
      body: ({ app }: Given) => ({ ...manual(app), type: 'webhook', config: { secret_ref: 'HOOK' } }),
      status: 200,
      audits: ['trigger.created'],
      emits: ['team/triggers', 'triggers'],
      check: ({ data }) => expect(data.config).toEqual({ secret_ref: 'HOOK' }),
    },
    {
      claim: 'a member without the admin role sets a secret',
      as: 'member',
      body: ({ app }: Given) => ({ ...manual(app), type: 'webhook', config: { secret_ref: 'HOOK' } }),
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'no name',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), name: undefined }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an unknown type',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), type: 'lunar' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an invalid cron expression',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), type: 'cron', config: { expression: '61 * * * *' } }),
      status: 400,
      code: 'validation_error',
      check: ({ json }) => expect(json.detail).toContain('minute'),
    },
    {
      claim: 'a cron expression with seconds',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), type: 'cron', config: { expression: '0 0 9 * * *' } }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an unknown filter operator',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), filters: [{ field: 'a', operator: 'near', value: 'b' }] }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an unknown target',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), app_id: unknownId }),
      status: 400,
      code: 'validation_error',
      check: ({ json }) => expect(json.detail).toContain('app_id'),
    },
    {
      claim: 'a target of another workspace',
      as: 'owner',
      body: ({ app, foreign }: Given) => ({ ...manual(app), app_id: foreign.id }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an admin cannot run a member’s private app',
      as: 'owner',
      body: ({ app, hidden }: Given) => ({ ...manual(app), app_id: hidden.id }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'its owner can run it',
      as: 'member',
      body: ({ app, hidden }: Given) => ({ ...manual(app), app_id: hidden.id }),
      status: 200,
      audits: ['trigger.created'],
      emits: ['team/triggers', 'triggers'],
    },
    {
      claim: 'an unknown agent',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), action: 'run_agent', agent_id: unknownId }),
      status: 400,
      code: 'validation_error',
      check: ({ json }) => expect(json.detail).toContain('agent_id'),
    },
    {
      claim: 'an unknown interrupt',
      as: 'owner',
      body: ({ app }: Given) => ({ ...manual(app), action: 'resolve_interrupt', interrupt_id: unknownId }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a key does not answer for a person, not even later',
      as: 'key:agents:write',
      body: ({ app }: Given) => ({ ...manual(app), action: 'resolve_interrupt', interrupt_id: unknownId }),
      status: 403,
      code: 'requires_sign_in',
    },
    {
      claim: 'one more than the plan allows',
      as: 'owner',
      act: async (world, { app }) => {
        const { db } = world.open.platform
        const held = await db.selectFrom('triggers').select('id').where('team_id', '=', world.team.id).execute()
        await setEntitlement(world.ctx(), world.team.id, 'triggers', held.length)
        return world.call('owner', 'POST /triggers', { body: manual(app) })
      },
      status: 402,
      code: 'limit_exceeded',
      check: ({ json }) => expect(json.meta).toMatchObject({ resource: 'triggers' }),
    },
    {
      claim: 'the expiry of an interrupt does not count toward the limit',
      as: 'owner',
      act: async (world, { app }) => {
        const { db } = world.open.platform
        const held = await db.selectFrom('triggers').select('id').where('team_id', '=', world.team.id).execute()
        await expiryOf(world)
        await setEntitlement(world.ctx(), world.team.id, 'triggers', held.length + 1)
        return world.call('owner', 'POST /triggers', { body: manual(app) })
      },
      status: 200,
    },
    {
      claim: 'a plan without triggers',
      as: 'owner',
      act: async (world, { app }) => {
        await setEntitlement(world.ctx(), world.team.id, 'triggers', 0)
        return world.call('owner', 'POST /triggers', { body: manual(app) })
      },
      status: 403,
      code: 'feature_not_available',
    },
  ],
  ownWorld,
)

scenarios('triggers.get', (world) => givenTrigger(world), [
  {
    claim: 'any member sees it',
    as: 'member',
    path: ({ id }) => ({ id }),
    status: 200,
    check: ({ data }, trigger) => expect(data).toEqual(trigger),
  },
  { claim: 'by its short id', as: 'key:agents:read', path: ({ short_id: id }) => ({ id }), status: 200 },
  { claim: 'another workspace', as: 'stranger', path: ({ id }) => ({ id }), status: 404, code: 'not_found' },
  { claim: 'unknown', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
])

scenarios(
  'triggers.list',
  (world) => givenTrigger(world, { name: 'Listed' }),
  [
    {
      claim: 'every trigger of the workspace, newest first',
      as: 'member',
      status: 200,
      check: ({ data }, trigger) => {
        expect(data.items[0].id).toBe(trigger.id)
        expect(data).toMatchObject({ has_previous: false, prev_cursor: '', items_per_page: 50 })
      },
    },
    {
      claim: 'filtered, sorted, searched and with its owner',
      as: 'owner',
      route: 'POST /triggers/list',
      body: {
        filters: [
          { field: 'type', operator: 'eq', value: 'webhook' },
          { field: 'enabled', operator: 'eq', value: true },
        ],
        sort: [{ field: 'name', dir: 'asc' }],
        search: { term: 'liste' },
        preloads: ['user'],
      },
      status: 200,
      check: ({ data }, _given, world) => expect(data.items[0].user.id).toBe(world.people.owner.userId),
    },
    {
      claim: 'another workspace sees none of them',
      as: 'stranger',
      status: 200,
      check: ({ data }) => expect(data.items).toEqual([]),
    },
    {
      claim: 'an unknown column',
      as: 'owner',
      route: 'POST /triggers/list',
      body: { filters: [{ field: 'run_as', operator: 'eq', value: 'x' }] },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a broken cursor',
      as: 'owner',
      route: 'POST /triggers/list',
      body: { cursor: 'broken' },
      status: 400,
      code: 'invalid_request',
    },
  ],
  ownWorld,
)

scenarios('triggers.update', (world) => givenTrigger(world, { input: { n: 1 } }), [
  {
    claim: 'a key does not change how an interrupt is answered',
    as: 'key:agents:write',
    act: async (world) => {
      const { id } = await expiryOf(world)
      return world.call('key:agents:write', `POST /triggers/${id}`, { body: { input: { resolution: 'allow' } } })
    },
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'the expiry of an interrupt keeps its name: under another name, a key could fire it',
    as: 'key:agents:write',
    act: async (world) => {
      const { id } = await expiryOf(world)
      return world.call('key:agents:write', `POST /triggers/${id}`, { body: { name: 'mine' } })
    },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'only the given fields change',
    as: 'member',
    path: ({ id }) => ({ id }),
    body: { enabled: false },
    status: 200,
    emits: ['team/triggers', 'triggers'],
    audits: ['trigger.updated'],
    check: ({ data }, { updated_at: _before, ...trigger }) => {
      const { updated_at: _after, ...now } = data
      expect(now).toEqual({ ...trigger, enabled: false })
    },
  },
  {
    claim: 'a mistyped field of the config is reported again',
    as: 'member',
    path: ({ id }) => ({ id }),
    body: { config: { timezon: 'UTC' } },
    status: 200,
    emits: ['team/triggers', 'triggers'],
    audits: ['trigger.updated'],
    check: ({ json }) => expect(json.messages).toEqual([unread('config.timezon')]),
  },
  {
    claim: 'everything that can be changed',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: {
      name: 'Renamed',
      config: { note: 'x' },
      input: { n: 2 },
      input_mapping: { input: { n: '{{n}}' } },
      filters: [{ field: 'a', operator: 'exists' }],
    },
    status: 200,
    audits: ['trigger.updated'],
    emits: ['team/triggers', 'triggers'],
    check: ({ data }) =>
      expect(data).toMatchObject({
        name: 'Renamed',
        config: { note: 'x' },
        input: { n: 2 },
        input_mapping: { input: { n: '{{n}}' } },
        filters: [{ field: 'a', operator: 'exists' }],
      }),
  },
  {
    claim: 'an empty body',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: {},
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only immutable fields',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: { type: 'cron', app_id: unknownId },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a filter with an unknown operator',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: { filters: [{ field: 'a', operator: 'like', value: 'b' }] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a time for a trigger that has none',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: { scheduled_at: '2030-01-01T00:00:00Z' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a member without the admin role sets a secret',
    as: 'member',
    path: ({ id }) => ({ id }),
    body: { config: { secret_ref: 'HOOK' } },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ id }) => ({ id }),
    body: { name: 'x' },
    status: 404,
    code: 'not_found',
  },
])

scenarios('triggers.delete', (world) => givenTrigger(world), [
  {
    claim: 'it is deleted permanently',
    as: 'member',
    path: ({ id }) => ({ id }),
    status: 200,
    audits: ['trigger.deleted'],
    emits: ['team/triggers'],
    check: async ({ data }, { id }, world) => {
      expect(data).toEqual({ success: true })
      expect(await world.call('owner', `GET /triggers/${id}`)).toMatchObject({ status: 404 })
      expect(await world.call('owner', `DELETE /triggers/${id}`)).toMatchObject({ status: 404 })
    },
  },
  { claim: 'another workspace', as: 'stranger', path: ({ id }) => ({ id }), status: 404, code: 'not_found' },
])

scenarios('trigger_sources.list', () => null, [
  {
    claim: 'anyone may read the catalog',
    as: null,
    status: 200,
    check: ({ data }) => {
      expect(data.map((source: { key: string }) => source.key)).toEqual(
        expect.arrayContaining(['generic', 'signed', 'github', 'slack', 'discord', 'stripe', 'linear']),
      )
      for (const source of data)
        expect(source).toMatchObject({ id: expect.stringMatching(/^[0-9a-z]{26}$/), filter_fields: expect.any(Array) })
    },
  },
])

describe('the schedule of a trigger', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  const nextOf = async ({ id }: Trigger): Promise<string | null> => {
    const { db } = world.open.platform
    const row = await db.selectFrom('triggers').select('next_fire_at').where('id', '=', id).executeTakeFirstOrThrow()
    return row.next_fire_at
  }
  const change = async ({ id }: Trigger, body: object): Promise<void> => {
    const answer = await world.call('owner', `POST /triggers/${id}`, { body })
    expect(answer.status, answer.text).toBe(200)
  }

  it('is recomputed after relevant changes only', async () => {
    const trigger = await givenTrigger(world, { type: 'cron', config: { expression: '0 9 1 1 *' } })
    const first = await nextOf(trigger)
    expect(first).toMatch(/-01-01T09:00:00.000000Z$/)
    await change(trigger, { name: 'Renamed', enabled: true, input: { n: 2 } })
    expect(await nextOf(trigger)).toBe(first)
    await change(trigger, { config: { expression: '0 9 2 1 *', timezone: 'Asia/Tokyo' } })
    expect(await nextOf(trigger)).toMatch(/-01-02T00:00:00.000000Z$/)
    await change(trigger, { enabled: false })
    expect(await nextOf(trigger)).toBeNull()
    await change(trigger, { enabled: true })
    expect(await nextOf(trigger)).toMatch(/-01-02T00:00:00.000000Z$/)
  })

  it('is shown with the four after it and in English, as the scheduler computes them', async () => {
    const config = { expression: '30 2 * * 0', timezone: 'Europe/Berlin' }
    const trigger = await givenTrigger(world, { type: 'cron', config })
    const { data } = await world.call('owner', `GET /triggers/${trigger.id}`)
    expect(data.schedule_text).toBe('At 02:30, only on Sunday (Europe/Berlin)')
    expect(data.next_fires).toHaveLength(5)
    expect(data.next_fires[0]).toBe(await nextOf(trigger))
    const ascending = data.next_fires.toSorted()
    expect(data.next_fires).toEqual(ascending)
    const { data: listed } = await world.call('owner', 'POST /triggers/list', { body: { limit: -1 } })
    expect(listed.items.find(({ id }: Trigger) => id === trigger.id)).toMatchObject({ next_fires: data.next_fires })
    await change(trigger, { enabled: false })
    expect((await world.call('owner', `GET /triggers/${trigger.id}`)).data.next_fires).toEqual([])
    expect(await givenTrigger(world, { type: 'manual' })).not.toHaveProperty('next_fires')
  })

  it('does not exist for webhook and manual triggers', async () => {
    expect(await nextOf(await givenTrigger(world))).toBeNull()
    expect(await nextOf(await givenTrigger(world, { type: 'manual' }))).toBeNull()
  })

  it('counts toward the workspace’s use of triggers', async () => {
    const used = async () => {
      const { data } = await world.call('owner', 'GET /entitlements/usage')
      return data.find(({ resource }: { resource: string }) => resource === 'triggers').current
    }
    const before = await used()
    const app = await givenApp(world)
    const trigger = await createTrigger(world, 'member', manual(app))
    expect(await used()).toBe(before + 1)
    await world.call('owner', `DELETE /triggers/${trigger.id}`)
    expect(await used()).toBe(before)
  })
})
