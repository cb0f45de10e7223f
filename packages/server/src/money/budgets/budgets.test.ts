// Guarantees: work that would exceed a budget of any subject in its chain does not start; work that grows beyond it is
// stopped with the reason; spent and reserved amounts are visible.
import type { App } from '@millrace/contract/apps'
import type { SetAppPricing } from '@millrace/contract/pricing'
import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { get as flowRunOf, oneStep, openApp, runGraph } from '#automation/flow-runs/testing/given.ts'
import { stopOverruns } from '#execution/pricing/overruns.ts'
import { move } from '#execution/tasks/moves.ts'
import { finish, givenApp, run, taskOf } from '#execution/tasks/testing/given.ts'
import { givenCloud, offer, region } from '#machines/instances/testing/given.ts'
import { create, endIn, givenFunds, hourMs, startBroker } from '#machines/rentals/testing/broker-double.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { resetsAt, startOf } from './periods.ts'

const nobody = '00000000000000000000000000'

const set = async (world: World, body: object = {}, as: As = 'admin') => {
  const answer = await world.call(as, 'POST /budgets', {
    body: { subject_type: 'workspace', period: 'day', limit: 100, ...body },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

/** Created once for all scenarios. */
const given = async (world: World): Promise<{ id: string }> => {
  const { data } = await world.call('admin', 'GET /budgets')
  return data.items[0] ?? set(world)
}
const path = ({ id }: { id: string }) => ({ id })

scenarios('budgets.list', given, [
  {
    claim: 'with what was spent, what is under way and when it begins anew',
    as: 'key:billing:read',
    query: { filters: '[{"field":"period","value":"day"}]' },
    status: 200,
    check: ({ data }, _given, world) =>
      expect(data.items).toMatchObject([
        {
          subject_type: 'workspace',
          subject_id: world.team.id,
          period: 'day',
          limit: 100,
          enforcement: 'block',
          spent: 0,
          held: 0,
          resets_at: expect.stringMatching(/T00:00:00\.000000Z$/),
        },
      ]),
  },
  {
    claim: 'an unknown column',
    as: 'owner',
    query: { filters: '[{"field":"x","value":1}]' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'another workspace', as: 'stranger', status: 200, check: ({ data }) => expect(data.items).toEqual([]) },
])

const month = { subject_type: 'workspace', period: 'month', limit: 5 }

scenarios('budgets.create', given, [
  { claim: 'for the month', as: 'owner', body: month, status: 200, audits: ['budget.created'] },
  { claim: 'a second one', as: 'admin', body: month, status: 409, code: 'already_exists' },
  { claim: 'a fraction', as: 'owner', body: { ...month, limit: 0.5 }, status: 400, code: 'validation_error' },
  { claim: 'less than nothing', as: 'owner', body: { ...month, limit: -1 }, status: 400, code: 'validation_error' },
  { claim: 'a year', as: 'owner', body: { ...month, period: 'year' }, status: 400, code: 'validation_error' },
  {
    claim: 'a flow nobody has',
    as: 'owner',
    body: { ...month, subject_type: 'flow', subject_id: nobody },
    status: 400,
    code: 'validation_error',
  },
  ...[
    {
      type: 'agent',
      make: (world: World) => world.call('owner', 'POST /agents', { body: { name: 'once-was' } }),
      route: 'agents',
    },
    {
      type: 'api_key',
      make: (world: World) => world.call('owner', 'POST /apikeys', { body: { name: 'once', scopes: ['apps:read'] } }),
      route: 'apikeys',
    },
  ].map(({ type, make, route }) => ({
    claim: `an ${type} that was deleted`,
    as: 'owner' as const,
    act: async (world: World) => {
      const { id } = (await make(world)).data
      expect((await world.call('owner', `DELETE /${route}/${id}`)).status).toBe(200)
      return world.call('owner', 'POST /budgets', { body: { ...month, subject_type: type, subject_id: id } })
    },
    status: 400,
    code: 'validation_error',
  })),
  {
    claim: 'another workspace',
    as: 'owner',
    body: { ...month, subject_id: nobody },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a member', as: 'member', body: month, status: 403, code: 'team_role_required' },
  { claim: 'a key', as: 'key:', body: month, status: 403, code: 'requires_sign_in' },
])

scenarios('budgets.update', given, [
  {
    claim: 'the limit',
    as: 'admin',
    path,
    body: { limit: 7, enforcement: 'warn' },
    status: 200,
    audits: ['budget.updated'],
    check: ({ data }) => expect(data).toMatchObject({ limit: 7, enforcement: 'warn' }),
  },
  {
    claim: 'nothing but limit and enforcement',
    as: 'admin',
    path,
    body: { limit: 7, subject_type: 'member', subject_id: nobody, period: 'day', created_at: '2020-01-01T00:00:00Z' },
    status: 200,
    audits: ['budget.updated'],
    check: ({ data }, before) => {
      const { limit, updated_at, ...rest } = data
      expect(limit).toBe(7)
      expect(before).toMatchObject({ subject_id: rest.subject_id, period: rest.period, created_at: rest.created_at })
    },
  },
  { claim: 'nonsense', as: 'admin', path, body: { limit: 'much' }, status: 400, code: 'validation_error' },
  { claim: 'not there', as: 'admin', path: { id: nobody }, body: {}, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, body: {}, status: 404, code: 'not_found' },
  { claim: 'a member', as: 'member', path, body: {}, status: 403, code: 'team_role_required' },
  { claim: 'a key', as: 'key:', path, body: {}, status: 403, code: 'requires_sign_in' },
])

scenarios('budgets.delete', given, [
  { claim: 'it is gone', as: 'admin', path, status: 200, audits: ['budget.deleted'] },
  { claim: 'not there', as: 'admin', path: { id: nobody }, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
  { claim: 'a member', as: 'member', path, status: 403, code: 'team_role_required' },
  { claim: 'a key', as: 'key:', path, status: 403, code: 'requires_sign_in' },
])

describe('periods', () => {
  it('are days and months in UTC', () => {
    const at = new Date('2026-12-31T23:59:59.999Z')
    expect([startOf('day', at), startOf('month', at)]).toEqual(['2026-12-31', '2026-12-01'])
    expect(resetsAt('day', at).toISOString()).toBe('2027-01-01T00:00:00.000Z')
    expect(resetsAt('month', at).toISOString()).toBe('2027-01-01T00:00:00.000Z')
  })
})

describe('a budget', () => {
  let world: World
  let app: App
  const ten: SetAppPricing = { prices: { run: 10 }, inference_expression: 'prices.run' }
  beforeAll(async () => {
    world = await createWorld()
    await world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount: 1_000_000_000 } })
  })
  afterAll(() => world?.close())
  beforeEach(async () => {
    world.clock.advance(24 * 3600_000)
    const { data } = await world.call('admin', 'GET /budgets')
    for (const { id } of data.items) await world.call('admin', `DELETE /budgets/${id}`)
    app = await priced(ten)
  })
  const price = (target: App, pricing: SetAppPricing) =>
    world.call('platform', `PUT /store/apps/${target.id}/pricing`, { body: pricing })
  const priced = async (pricing: SetAppPricing): Promise<App> => {
    const target = await givenApp(world)
    await price(target, pricing)
    return target
  }
  const start = (as: As = 'owner', body: object = {}) =>
    world.call(as, 'POST /run', { body: { app_id: app.id, input: { text: 'hi' }, ...body } })
  const stateOf = async (id: string) => {
    const { data } = await world.call('owner', 'GET /budgets')
    const { spent, held } = data.items.find((one: { id: string }) => one.id === id)
    return { spent, held }
  }

  it('counts what is under way and what was spent, also from before it was set, and refuses what would not fit', async () => {
    const done = await run(world, app)
    await finish(world, done.id)
    const budget = await set(world, { limit: 35 })
    expect(await stateOf(budget.id)).toEqual({ spent: 10, held: 0 })
    const [second] = [await run(world, app), await run(world, app)]
    expect(await stateOf(budget.id)).toEqual({ spent: 10, held: 20 })
    const refused = await start()
    expect([refused.status, refused.code]).toEqual([402, 'budget_exceeded'])
    expect(refused.json.meta).toEqual({
      budget_id: budget.id,
      subject_type: 'workspace',
      limit: 35,
      spent: 10,
      held: 20,
      resets_at: budget.resets_at,
    })
    await world.call('owner', `POST /tasks/${second.id}/cancel`)
    expect(await stateOf(budget.id)).toEqual({ spent: 10, held: 10 })
    expect((await start()).status).toBe(200)
    world.clock.advance(24 * 3600_000)
    expect(await stateOf(budget.id)).toEqual({ spent: 0, held: 0 })
  })

  it('for fifty at once lets exactly those begin that fit', async () => {
    await set(world, { limit: 100 })
    // A workspace with many simultaneous calls may get a retry response, which starts nothing.
    const startUntilTold = async (): ReturnType<typeof start> => {
      const answer = await start()
      return answer.code === 'rate_limited' ? startUntilTold() : answer
    }
    const answers = await Promise.all(Array.from({ length: 50 }, startUntilTold))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(answers.filter(({ code }) => code === 'budget_exceeded')).toHaveLength(40)
  })

  it('that only warns lets it pass, and says so', async () => {
    await set(world, { limit: 5, enforcement: 'warn' })
    const answer = await start()
    expect(answer.status).toBe(200)
    expect(answer.json.messages).toContainEqual(expect.objectContaining({ level: 'warning', code: 'budget_exceeded' }))
  })

  it('of a key counts its runs and what they start, and nobody else’s', async () => {
    const key = 'key:apps:execute,flows:execute,flows:write,apps:read,flows:read'
    const keys = await world.call('owner', 'POST /apikeys/list', { body: {} })
    const id = keys.data.items.find((one: { name: string }) => one.name === key)?.id ?? (await keyId(key))
    const budget = await set(world, { subject_type: 'api_key', subject_id: id, limit: 15 })
    expect((await start('owner')).status).toBe(200)
    expect(await stateOf(budget.id)).toEqual({ spent: 0, held: 0 })
    const step = await openApp(world)
    await price(step, ten)
    await runGraph(world, oneStep(step.id), { input: { text: 'hi' } }, key)
    expect(await stateOf(budget.id)).toEqual({ spent: 0, held: 10 })
    expect((await start(key)).code).toBe('budget_exceeded')
  })
  const keyId = async (name: As): Promise<string> => {
    await world.call(name, 'GET /apps')
    const row = await world.open.platform.db
      .selectFrom('api_keys')
      .select('id')
      .where('name', '=', String(name))
      .executeTakeFirstOrThrow()
    return row.id
  }

  it('of a flow stops the node that would break it', async () => {
    const step = await openApp(world)
    await price(step, ten)
    const first = await runGraph(world, oneStep(step.id), { input: { text: 'hi' } })
    const budget = await set(world, { subject_type: 'flow', subject_id: first.flow_id, limit: 15 })
    expect(await stateOf(budget.id)).toEqual({ spent: 0, held: 10 })
    const again = await world.call('owner', 'POST /flowruns', { body: { flow: first.flow_id, input: { text: 'hi' } } })
    const ended = await flowRunOf(world, again.data.id)
    expect(JSON.stringify(ended)).toContain('budget')
    expect(await stateOf(budget.id)).toEqual({ spent: 0, held: 10 })
  })

  it('stops a run whose price grows over it, and tells why', async () => {
    app = await priced({ prices: { second: 10 }, inference_expression: 'prices.second * elapsed_ms / 1000' })
    await set(world, { limit: 35 })
    const { id } = await run(world, app)
    await move(world.ctx(), id, { fence: null, to: taskStatus.running })
    world.clock.advance(3000)
    await stopOverruns(world.ctx())
    expect((await taskOf(world, id)).status).toBe(taskStatus.running)
    world.clock.advance(1000)
    await stopOverruns(world.ctx())
    expect(await taskOf(world, id)).toMatchObject({
      status: taskStatus.cancelled,
      error: expect.stringMatching(/^budget_exceeded/),
    })
  })

  it('stops the one that began last of several that together grow over it', async () => {
    app = await priced({ prices: { second: 10 }, inference_expression: 'prices.second * elapsed_ms / 1000' })
    await set(world, { limit: 35 })
    const first = await run(world, app)
    world.clock.advance(1)
    const second = await run(world, app)
    for (const { id } of [first, second]) await move(world.ctx(), id, { fence: null, to: taskStatus.running })
    world.clock.advance(2000)
    await stopOverruns(world.ctx())
    expect((await taskOf(world, first.id)).status).toBe(taskStatus.running)
    expect((await taskOf(world, second.id)).status).toBe(taskStatus.cancelled)
  })

  it('stands over rented machines too', async () => {
    await givenCloud(world, 'north', [offer('cpu', [region('n1', 36)])])
    await set(world, { limit: 35_000_000 })
    const rent = (hours: number) =>
      world.call('owner', 'POST /engines', {
        body: {
          name: 'r',
          end_time: new Date(world.clock.now().getTime() + hours * 3600_000).toISOString(),
          instance_type: { cloud: 'north', region: 'n1', catalog_instance_type: 'cpu' },
        },
      })
    const answer = await rent(1)
    expect([answer.status, answer.code]).toEqual([402, 'budget_exceeded'])
    // Missing money is reported first, as for runs.
    expect((await rent(720)).code).toBe('payment_required')
  })

  it('the refund of a rented machine goes to the day of each payment, and to its payer', async () => {
    const world = await createWorld()
    const broker = await startBroker()
    await givenFunds(world, broker)
    const hour = 36_000_000
    const startedOn = world.clock.now().toISOString().slice(0, 10)
    // Rented at 12:00 for twenty hours; extended by three hours at 1:00 the next day with a key; stopped at 2:00 with
    // nine hours left.
    world.clock.advance(Date.parse(`${startedOn}T12:00:00Z`) + 24 * hourMs - world.clock.now().getTime())
    const first = world.clock.now().toISOString().slice(0, 10)
    const { id } = (await create({ end_time: endIn(world, 20 * hourMs) })(world)).data
    world.clock.advance(13 * hourMs)
    const second = world.clock.now().toISOString().slice(0, 10)
    await world.call('key:engines:write', `POST /engines/${id}/extend`, { body: { hours: 3 } })
    world.clock.advance(hourMs)
    await world.call('owner', `POST /engines/${id}/stop`)
    const totals = await world.open.platform.db
      .selectFrom('spend_totals')
      .select(['subject_type', 'starts_on', 'spent'])
      .where('period', '=', 'day')
      .orderBy('starts_on')
      .orderBy('subject_type')
      .execute()
    await world.close()
    await broker.close()
    expect(totals).toEqual([
      // Unused: six of the twenty hours, and all three hours of the extension.
      { subject_type: 'workspace', starts_on: first, spent: 14 * hour },
      { subject_type: 'api_key', starts_on: second, spent: 0 },
      { subject_type: 'workspace', starts_on: second, spent: 0 },
    ])
  })

  it('and a finished run shows what it cost', async () => {
    const { id } = await run(world, app)
    await finish(world, id)
    expect((await world.call('owner', `GET /tasks/${id}/cost`)).data).toEqual({ total: 10, discount: 0, charged: 10 })
  })
})
