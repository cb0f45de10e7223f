// Guarantees: a flow that is published as a priced app costs its price whichever operation starts it: as a flow run, as
// a rerun and as a step of another flow, not only as a run of the app.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyLedger } from '#money/billing/service.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { graphOf } from './engine/testing/flow-builder.ts'
import { endNode, get, oneStep, openApp, runGraph, start, utilityGraph } from './testing/given.ts'

const price = 40

let world: World
/** Ends at once, and waits for a step. */
let quick: string
let slow: string
beforeAll(async () => {
  world = await createWorld()
  const priced = async (graph: Parameters<typeof flowOf>[2]) => {
    const flow = await flowOf(world, 'owner', graph)
    const { data: app } = await world.call('owner', `POST /flows/${flow.id}/app`)
    const body = { prices: { run: price }, total_expression: 'prices.run' }
    const set = await world.call('platform', `PUT /store/apps/${app.id}/pricing`, { body })
    expect(set.status, set.text).toBe(200)
    return flow.id
  }
  quick = await priced(utilityGraph())
  slow = await priced(oneStep((await openApp(world)).id))
})
afterAll(async () => {
  expect((await verifyLedger(world.open.platform)).ok).toBe(true)
  await world.close()
})

const balance = async (): Promise<number> => (await world.call('owner', 'GET /billing')).data.balance
const grant = (amount: number) =>
  world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount } })

it('without sufficient balance nothing starts', async () => {
  const refused = await world.call('owner', 'POST /flowruns', { body: { flow: quick, input: { n: 1 } } })
  expect(refused).toMatchObject({ status: 402, code: 'payment_required' })
  expect((await world.call('owner', 'POST /flowruns/list', { body: {} })).data.total_items).toBe(0)
  await grant(10 * price)
})

/** The amount by which `work` reduces the balance of the workspace. */
const paidFor = async (work: () => Promise<unknown>): Promise<number> => {
  const before = await balance()
  await work()
  return before - (await balance())
}

it('a flow run that ends at once is charged', async () => {
  expect(
    await paidFor(async () => {
      const run = await start(world, { id: quick }, { input: { n: 1 } })
      expect(run).toMatchObject({ status: 3, output: { total: 2 } })
    }),
  ).toBe(price)
})

it('a flow run reserves the price and is charged when it completes', async () => {
  const run = { id: '' }
  expect(
    await paidFor(async () => {
      run.id = (await start(world, { id: slow }, { input: { text: 'x' } })).id
    }),
  ).toBe(price)
  expect(await paidFor(() => endNode(world, run.id, 'step', { output: 'done' }))).toBe(0)
})

it('a flow run that fails costs nothing', async () => {
  expect(
    await paidFor(async () => {
      const { id } = await start(world, { id: slow }, { input: { text: 'x' } })
      await endNode(world, id, 'step', { error: 'broken' })
      expect((await get(world, id)).status).toBe(4)
    }),
  ).toBe(0)
})

it('a rerun is charged again', async () => {
  const first = await start(world, { id: quick }, { input: { n: 1 } })
  expect(
    await paidFor(async () => {
      const again = await world.call('owner', `POST /flowruns/${first.id}/rerun`, { body: { node_id: 'sum' } })
      expect(again.status, again.text).toBe(200)
    }),
  ).toBe(price)
})

it('a step of another flow is charged', async () => {
  const node = { type: 'flow', data: { flow: quick }, inputs: { n: 1 } } as const
  expect(
    await paidFor(async () => {
      expect(await runGraph(world, graphOf({ inner: node }))).toMatchObject({ status: 3 })
    }),
  ).toBe(price)
})
