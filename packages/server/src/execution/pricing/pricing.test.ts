// Guarantees: a priced run reserves its maximum price when it is accepted, is charged the price of that time and costs
// nothing if it fails. A workspace that cannot pay gets no task.
import type { App } from '@millrace/contract/apps'
import type { SetAppPricing } from '@millrace/contract/pricing'
import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '#money/billing/service.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { deploy, show } from '../apps/testing/given.ts'
import { finish, givenApp, run } from '../tasks/testing/given.ts'

const nobody = '00000000000000000000000000'
const path = (app: App) => ({ appId: app.id })
const perStep: SetAppPricing = { prices: { step: 10 }, inference_expression: 'prices.step * size(task_inputs.text)' }

const published = async (world: World): Promise<App> => show(world, 'owner', await deploy(world, 'owner'), 'public')

const priced = async (world: World, pricing: SetAppPricing, app?: App): Promise<App> => {
  const target = app ?? (await givenApp(world))
  const answer = await world.call('platform', `PUT /store/apps/${target.id}/pricing`, { body: pricing })
  if (answer.status !== 200) throw new Error(answer.text)
  return target
}

scenarios('store.set_pricing', published, [
  {
    claim: 'omitted fees are zero; the answer says whether the price is known in advance',
    as: 'platform',
    path,
    body: { ...perStep, description: 'by the step' },
    status: 200,
    audits: ['app.priced'],
    check: async ({ data }, app, world) => {
      expect(data).toMatchObject({ ...perStep, total_expression: '', estimable: true })
      const { data: list } = await world.call(null, 'POST /store/apps/list', { body: { limit: -1 } })
      expect(list.items.find((item: App) => item.id === app.id).pricing_description).toBe('by the step')
    },
  },
  { claim: 'a fraction', as: 'platform', path, body: { prices: { a: 0.5 } }, status: 400, code: 'validation_error' },
  {
    claim: 'a broken expression',
    as: 'platform',
    path,
    body: { total_expression: '1 +' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an unknown app', as: 'platform', path: { appId: nobody }, body: {}, status: 404, code: 'not_found' },
  { claim: 'the owner of the app', as: 'owner', path, body: {}, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace', as: 'stranger', path, body: {}, status: 403, code: 'insufficient_scope' },
  { claim: 'a full key', as: 'key:', path, body: {}, status: 403, code: 'insufficient_scope' },
])

scenarios('store.pricing', published, [
  {
    claim: 'an app without a price',
    as: 'platform',
    path,
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ prices: {}, resource_expression: '', estimable: true }),
  },
  { claim: 'an unknown app', as: 'platform', path: { appId: nobody }, status: 404, code: 'not_found' },
  { claim: 'the owner of the app', as: 'owner', path, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace', as: 'stranger', path, status: 403, code: 'insufficient_scope' },
  { claim: 'a full key', as: 'key:', path, status: 403, code: 'insufficient_scope' },
])

scenarios('store.estimate', async (world) => priced(world, perStep, await published(world)), [
  {
    claim: 'any member may estimate a public app',
    as: null,
    path,
    body: { input: { text: 'four' } },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ confidence: 'exact', microcents: 40 }),
  },
  { claim: 'an unknown app', as: null, path: { appId: nobody }, body: {}, status: 404, code: 'not_found' },
  { claim: 'a long id', as: null, path: { appId: 'x'.repeat(65) }, body: {}, status: 404, code: 'not_found' },
  {
    claim: 'a private app of another workspace',
    as: 'stranger',
    act: async (world) => world.call('stranger', `POST /store/apps/${(await deploy(world, 'owner')).id}/estimate`),
    status: 404,
    code: 'not_found',
  },
  { claim: 'no input', as: 'owner', path, body: { input: 5 }, status: 400, code: 'validation_error' },
  {
    claim: 'an estimate without a function uses the default function',
    as: 'owner',
    act: async (world) => {
      const app = await givenApp(world, { functions: { draw: { name: 'draw' } }, default_function: 'draw' })
      await priced(world, { total_expression: 'task_function == "draw" ? 7 : 1' }, app)
      return world.call('owner', `POST /store/apps/${app.id}/estimate`, { body: {} })
    },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ confidence: 'exact', microcents: 7 }),
  },
])

describe('a priced run', () => {
  let world: World
  let app: App
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())
  beforeEach(async () => {
    app = await givenApp(world)
  })

  const balance = async (): Promise<number> => (await world.call('owner', 'GET /billing')).data.balance
  const grant = (amount: number) =>
    world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount } })
  const transactions = async (id: string) =>
    (
      await world.call('owner', 'POST /transactions/list', {
        body: { filters: [{ field: 'reference_id', value: id }], sort: [{ field: 'amount', dir: 'asc' }] },
      })
    ).data.items.map(({ type, amount }: { type: string; amount: number }) => [type, amount])
  const refused = async (body: object = {}) => {
    const tasks = async () => (await world.call('owner', 'POST /tasks/list', { body: {} })).data.total_items
    const before = await tasks()
    const answer = await world.call('owner', 'POST /run', { body: { app_id: app.id, input: { text: 'hi' }, ...body } })
    expect(answer.code).toBe('payment_required')
    expect(answer.status).toBe(402)
    expect(await tasks()).toBe(before)
    return answer
  }

  it('is refused without sufficient balance, and no task is created', async () => {
    await priced(world, perStep, app)
    const answer = await refused()
    expect(answer.json).toMatchObject({ meta: { balance: 0, required: 20 } })
    await priced(world, { resource_expression: 'elapsed_ms' }, app)
    await refused()
  })

  it('is charged exactly the reserved amount', async () => {
    await grant(100)
    await priced(world, perStep, app)
    const { id } = await run(world, app)
    expect(await balance()).toBe(80)
    // The price at the time of acceptance applies.
    await priced(world, { inference_expression: '1000' }, app)
    await finish(world, id)
    expect(await balance()).toBe(80)
    expect(await transactions(id)).toEqual([['charge', -20]])
    const { data: usage } = await world.call('owner', 'GET /usage')
    expect(usage.by_app).toEqual([{ app_id: app.id, ref: `mill/${app.name}`, tasks: 1, microcents: 20 }])
    expect(usage.total).toBe(20)
  })

  it('releases the unused part of the reservation, and all of it if the run fails', async () => {
    await priced(
      world,
      {
        inference_expression: 'output_meta.outputs[0].tokens',
        estimate: '{"min": 0, "max": 50}',
        royalty_expression: '2',
      },
      app,
    )
    const before = await balance()
    const { id } = await run(world, app)
    expect(await balance()).toBe(before - 50)
    await finish(world, id, { text: 'x', output_meta: { inputs: [], outputs: [{ type: 'text', tokens: 5 }] } })
    expect(await balance()).toBe(before - 7)
    expect(await transactions(id)).toEqual([
      ['charge', -50],
      ['release', 43],
    ])
    const failed = await run(world, app)
    await world.call('owner', `POST /tasks/${failed.id}/cancel`)
    expect(await balance()).toBe(before - 7)
    const { db } = world.open.platform
    const author = await db.selectFrom('ledger_entries').select('amount').where('account', '=', 'author').execute()
    expect(author).toEqual([{ amount: 2 }])
  })

  it('counts as usage only when it ends, on that day', async () => {
    const usage = async (query: Record<string, string> = {}) =>
      (await world.call('owner', 'GET /usage', { query })).data
    await grant(1000)
    await priced(world, { inference_expression: '30', royalty_expression: '3' }, app)
    const before = await usage()
    const { id } = await run(world, app)
    const { id: given } = await run(world, app)
    expect(await usage()).toEqual(before)
    world.clock.advance(26 * 60 * 60 * 1000)
    await finish(world, id)
    await world.call('owner', `POST /tasks/${given}/cancel`)
    const after = await usage()
    expect(after.total).toBe(before.total + 33)
    expect(after.by_app).toContainEqual({ app_id: app.id, ref: `mill/${app.name}`, tasks: 1, microcents: 33 })
    const today = world.clock.now().toISOString().slice(0, 10)
    expect(after.by_day).toContainEqual({ date: today, microcents: 33 })
    expect(await usage({ from: today })).toMatchObject({ total: 33, by_day: [{ date: today, microcents: 33 }] })
  })

  it('with an unpredictable price is charged at most the balance', async () => {
    await priced(world, { inference_expression: 'output_meta.outputs[0].tokens' }, app)
    const { id } = await run(world, app)
    await finish(world, id, { text: 'x', output_meta: { outputs: [{ tokens: 1_000_000 }] } })
    expect(await balance()).toBe(0)
    await refused()
    expect(await verifyLedger(world.open.platform)).toMatchObject({ ok: true })
  })

  it('is refused while spending is stopped; free runs are accepted', async () => {
    await grant(100)
    const free = await givenApp(world)
    const stop = (status: string) =>
      world.call('platform', 'POST /billing/status', { body: { team_id: world.team.id, status } })
    await priced(world, perStep, app)
    await stop('spend_locked')
    expect((await refused()).json).toMatchObject({ meta: { status: 'spend_locked' } })
    expect((await run(world, free)).status).toBe(taskStatus.queued)
    // Priced, but free with this input.
    await priced(world, { inference_expression: 'size(task_inputs.text) > 100 ? 5 : 0' }, free)
    expect((await run(world, free)).status).toBe(taskStatus.queued)
    await stop('active')
    await run(world, app)
  })

  it('is accepted only as often as the balance allows, even concurrently', async () => {
    await priced(world, { inference_expression: '10' }, app)
    const before = await balance()
    const asked = await Promise.all(
      Array.from({ length: 20 }, () =>
        world.call('owner', 'POST /run', { body: { app_id: app.id, input: { text: 'hi' } } }),
      ),
    )
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(Math.floor(before / 10))
    expect(await balance()).toBe(before % 10)
    expect(await verifyLedger(world.open.platform)).toMatchObject({ ok: true })
  })
})
