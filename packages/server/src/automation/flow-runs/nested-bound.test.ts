// Guarantees: one request cannot start an unbounded tree of flows. Within the limits, a tree completes. Above them, the
// run and all its ancestors fail with the reason, nothing more is started, and started runs end.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { graphOf, type NodeSpec } from './engine/testing/flow-builder.ts'
import { app, endNode, endTask, get, openApp, runGraph } from './testing/given.ts'
import { cancelLeftovers } from './timers.ts'

const refusal = 'at most 10000 nodes together'

let world: World
let plainApp: string
/** A thousand nodes without dependencies. */
let quick: string
/** A thousand nodes, one of which waits for its task. */
let slow: string

const deployFlow = async (nodes: Record<string, NodeSpec>): Promise<string> => {
  const flow = await flowOf(world, 'owner', graphOf(nodes))
  const answer = await world.call('owner', `POST /flows/${flow.id}/app`)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data.id
}

const times = (count: number, prefix: string, node: NodeSpec): Record<string, NodeSpec> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, node]))

beforeAll(async () => {
  world = await createWorld()
  plainApp = (await openApp(world)).id
  quick = await deployFlow(times(1_000, 'c', { type: 'constant' }))
  slow = await deployFlow({ ...times(999, 'c', { type: 'constant' }), step: app(plainApp) })
})
afterAll(() => world?.close())

const query = async (text: string): Promise<Record<string, string>[]> =>
  (await world.open.database.pool.query(text)).rows

/** Runs the jobs of the ended runs, and of those that end by these jobs. */
const cancelAll = async (): Promise<void> => {
  for (let left = 1; left > 0; ) {
    const over = await query(`select distinct r.id from flow_runs r join tasks t on t.flow_run_id = r.id
      where r.status > 2 and t.status < 8`)
    for (const { id } of over) await cancelLeftovers(world.ctx(), id ?? '')
    left = over.length
  }
}

const expectNothingAlive = async (): Promise<void> => {
  expect(await query('select id from tasks where status < 10')).toEqual([])
  expect(await query('select id from flow_runs where status < 3')).toEqual([])
}

it('ten graphs of a thousand nodes, two levels deep, complete', async () => {
  const five = await deployFlow(times(5, 'q', app(quick)))
  // The two intermediate flows count too, so the graph has ten nodes less.
  const rest = await deployFlow(times(990, 'c', { type: 'constant' }))
  const four = await deployFlow({ ...times(4, 'q', app(quick)), rest: app(rest) })
  const run = await runGraph(world, graphOf({ five: app(five), four: app(four) }))
  expect(run).toMatchObject({ status: 3 })
  const [below] = await query(`select sum(node_count)::text as nodes from flow_runs where root_run_id = '${run.id}'`)
  expect(below).toEqual({ nodes: '10000' })
  await expectNothingAlive()
})

it('one more node fails the run and names the limit', async () => {
  const one = await deployFlow({ c: { type: 'constant' } })
  const run = await runGraph(world, graphOf({ ...times(10, 'q', app(quick)), more: app(one) }))
  expect(run).toMatchObject({ status: 4, error: expect.stringContaining(refusal) })
  await expectNothingAlive()
})

it.each([
  { before: 1_999, outcome: { status: 3 } },
  { before: 2_000, outcome: { status: 4, error: expect.stringContaining('at most 2000 runs of flows') } },
])('small runs are limited by their number: one more after $before', async ({ before, outcome }) => {
  const one = await deployFlow({ c: { type: 'constant' } })
  const run = await runGraph(
    world,
    graphOf({ first: app(one), wait: app(plainApp), last: app(one, { after: ['wait'] }) }),
  )
  // Simulates the number of runs with copies of the first one.
  await query(`insert into flow_runs select (json_populate_record(r, json_build_object('id', r.id || n))).*
    from flow_runs r, generate_series(2, ${before}) n where r.root_run_id = '${run.id}'`)
  await endNode(world, run.id, 'wait', { output: {} })
  expect(await get(world, run.id)).toMatchObject(outcome)
})

it('an exponentially growing tree fails up to its root; started runs end and no others start', async () => {
  const hundred = await deployFlow(times(100, 's', app(slow)))
  const run = await runGraph(world, graphOf(times(100, 'h', app(hundred))))
  expect(run).toMatchObject({ status: 4, error: expect.stringContaining(refusal) })
  const started = await query('select id from tasks')
  await cancelAll()
  await expectNothingAlive()
  expect(await query('select id from tasks')).toHaveLength(started.length)
  expect(await query(`select id from flow_runs where root_run_id = '${run.id}' and status = 3`)).toEqual([])
  const [below] = await query(`select sum(node_count)::text as nodes from flow_runs where root_run_id = '${run.id}'`)
  expect(Number(below?.nodes)).toBeLessThanOrEqual(10_000)
})

it('concurrently growing branches also fail, and none deadlocks', async () => {
  const branch: Record<string, NodeSpec> = {}
  for (let index = 0; index < 6; index += 1) {
    branch[`wait${index}`] = app(plainApp)
    branch[`then${index}`] = app(quick, { after: [`wait${index}`] })
  }
  const inner = await deployFlow(branch)
  const run = await runGraph(world, graphOf({ ...times(4, 'b', app(inner)), wait: app(plainApp) }))
  const waiting = await query(`select t.id from tasks t join flow_runs r on r.id = t.flow_run_id
    where t.status = 2 and r.root_run_id = '${run.id}'`)
  expect(waiting).toHaveLength(24)
  await Promise.all(waiting.map(async ({ id }) => endTask(world, id ?? '', { output: {} })))
  await until(async () => (await get(world, run.id)).status >= 3)
  expect(await get(world, run.id)).toMatchObject({ status: 4, error: expect.stringContaining(refusal) })
  await cancelAll()
  await expectNothingAlive()
})

it('the next run of the same flow starts with new counts', async () => {
  const flow = await flowOf(world, 'owner', graphOf(times(6, 'q', app(quick))))
  for (const _ of [1, 2]) {
    const answer = await world.call('owner', 'POST /flowruns', { body: { flow: flow.id, input: {} } })
    expect(answer.data).toMatchObject({ status: 3 })
  }
})
