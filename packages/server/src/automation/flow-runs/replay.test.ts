// Guarantees: a replay of a finished run starts nothing and stores nothing. The same version gives an equal answer for
// every kind of node, with retries, loops, waits and random values; another version gives the first difference.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { from, graphOf, type NodeSpec } from './engine/testing/flow-builder.ts'
import {
  app,
  endNode,
  endTask,
  type GivenRuns,
  get,
  givenRuns,
  openApp,
  runGraph,
  start,
  utilityGraph,
  writeRefusals,
} from './testing/given.ts'
import { wakeNode } from './timers.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

const replayed = async (runId: string, body: object = {}) =>
  (await world.call('owner', `POST /flowruns/${runId}/replay`, { body })).data

const out = (source: string): NodeSpec => ({ type: 'outputNode', inputs: { value: from(source) } })

const wake = (runId: string, nodeId: string) => wakeNode(world.open.platform)({ run_id: runId, node_id: nodeId })

const countRows = async (): Promise<unknown> => {
  const { rows } = await sql`
    select (select count(*) from tasks) as tasks, (select count(*) from flow_runs) as runs,
      (select sum(log_length) from flow_runs) as events`.execute(world.open.platform.db)
  return rows[0]
}

describe('the same version is equal', () => {
  it('for apps, expressions and random values', async () => {
    const run = await runGraph(
      world,
      graphOf({
        in: { type: 'inputNode' },
        dice: { type: 'constant', data: { utility: { random: true } } },
        step: app(appId, { inputs: { n: from('in', 'n'), dice: from('dice') } }),
        plus: { type: 'utility', data: { utility: { expression: 'input.n + 1' } }, inputs: { n: from('step', 'n') } },
        out: out('plus'),
      }),
      { input: { n: 1 } },
    )
    await endNode(world, run.id, 'step', { output: { n: 41 } })
    const before = await countRows()
    expect(await replayed(run.id)).toEqual({ equal: true })
    expect(await countRows()).toEqual(before)
  })

  it('for retries, handled failures and skipped branches', async () => {
    const run = await runGraph(
      world,
      graphOf({
        step: app(appId, { data: { on_error: 'branch', retry: { attempts: 2, backoff_ms: 0 } } }),
        good: app(appId, { after: ['step'] }),
        repair: app(appId, { inputs: { why: from('step', 'error', 'error') } }),
        end: { type: 'merge', inputs: { good: from('good'), repair: from('repair') } },
      }),
    )
    await endNode(world, run.id, 'step', { error: 'once' })
    // The record is in the order of time.
    world.clock.advance(1)
    await wake(run.id, 'step')
    await endNode(world, run.id, 'step', { error: 'twice' })
    await endNode(world, run.id, 'repair', { output: 'R' })
    expect((await get(world, run.id)).status).toBe(3)
    expect(await replayed(run.id)).toEqual({ equal: true })
  })

  it('for loops, repetitions and waits', async () => {
    const run = await runGraph(
      world,
      graphOf({
        each: app(appId, { data: { for_each: { input: 'n' } }, inputs: { n: [1, 2] } }),
        pause: { type: 'wait', data: { wait: { mode: 'duration', duration_ms: 1_000 } } },
        poll: app(appId, { data: { repeat: { max: 3, until: 'output == 2' } }, after: ['pause'] }),
        out: { type: 'outputNode', inputs: { each: from('each'), poll: from('poll') } },
      }),
    )
    const { rows } = await sql<{ id: string; item: number }>`
      select id, flow_item as item from tasks where flow_run_id = ${run.id} and flow_item is not null`.execute(
      world.open.platform.db,
    )
    for (const { id, item } of rows) await endTask(world, id, { output: item })
    world.clock.advance(1_000)
    await wake(run.id, 'pause')
    await endNode(world, run.id, 'poll', { output: 1 })
    await endNode(world, run.id, 'poll', { output: 2 })
    expect(await get(world, run.id)).toMatchObject({ status: 3, output: { each: [0, 1], poll: 2 } })
    expect(await replayed(run.id)).toEqual({ equal: true })
  })

  it('for a failed run', async () => {
    const run = await runGraph(world, graphOf({ bad: app(appId), after: app(appId, { after: ['bad'] }) }))
    await endNode(world, run.id, 'bad', { error: 'broken' })
    expect(await replayed(run.id)).toEqual({ equal: true })
  })

  it('for a rerun, whose kept results have no tasks of their own', async () => {
    const graph = graphOf({ a: app(appId), b: app(appId, { inputs: { v: from('a') } }), out: out('b') })
    const first = await runGraph(world, graph)
    await endNode(world, first.id, 'a', { output: 1 })
    await endNode(world, first.id, 'b', { error: 'no' })
    const { data: again } = await world.call('owner', `POST /flowruns/${first.id}/rerun`)
    await endNode(world, again.id, 'b', { output: 2 })
    expect(await replayed(again.id)).toEqual({ equal: true })
  })
})

describe('another version', () => {
  const graph = (expression: string, fixed = 1) =>
    graphOf({
      in: { type: 'inputNode' },
      plus: { type: 'utility', data: { utility: { expression } }, inputs: { n: from('in', 'n') } },
      step: app(appId, { inputs: { n: from('plus'), fixed } }),
      out: out('step'),
    })

  const changed = async (next: ReturnType<typeof graph>) => {
    const flow = await flowOf(world, 'owner', graph('input.n + 1'))
    const run = await start(world, flow, { input: { n: 1 } })
    await endNode(world, run.id, 'step', { output: 'S' })
    await world.call('owner', `POST /flows/${flow.id}`, { body: next })
    const after = (await world.call('owner', `GET /flows/${flow.id}`)).data
    return replayed(run.id, { version_id: after.draft_version_id })
  }

  it('shows the first changed result', async () => {
    expect(await changed(graph('input.n + 2'))).toEqual({
      equal: false,
      first_difference: { node_id: 'plus', field: 'output', recorded: 2, replayed: 3 },
    })
  })

  it('shows the first changed input', async () => {
    expect(await changed(graph('input.n + 1', 2))).toMatchObject({
      equal: false,
      first_difference: { node_id: 'step', field: 'input', recorded: { n: 2, fixed: 1 }, replayed: { n: 2, fixed: 2 } },
    })
  })

  it('shows a node that the record does not contain', async () => {
    const more = graph('input.n + 1')
    const next = { ...more, nodes: [...more.nodes, { id: 'new', type: 'appNode' as const, position: { x: 0, y: 0 } }] }
    const answer = await changed({ ...next, node_data: { ...more.node_data, new: { app_id: appId } } })
    expect(answer.first_difference).toMatchObject({ node_id: 'new', field: 'status', recorded: 'not started' })
  })
})

scenarios('flow_runs.replay', givenRuns, [
  {
    claim: 'a finished run is equal',
    as: 'owner',
    path: ({ shown }: GivenRuns) => ({ id: shown.id }),
    body: {},
    status: 200,
    check: ({ data }) => expect(data).toEqual({ equal: true }),
  },
  {
    claim: 'a public run of a flow that the caller does not see',
    as: 'member',
    path: ({ shown }: GivenRuns) => ({ id: shown.id }),
    body: {},
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an unfinished run',
    as: 'owner',
    path: ({ live }: GivenRuns) => ({ id: live.id }),
    body: {},
    status: 409,
    code: 'invalid_state',
  },
  {
    claim: 'a version of another flow',
    as: 'owner',
    act: async (world, { shown }) => {
      const other = await flowOf(world, 'owner', utilityGraph())
      return world.call('owner', `POST /flowruns/${shown.id}/replay`, { body: { version_id: other.draft_version_id } })
    },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a version that is not a text',
    as: 'owner',
    path: ({ shown }: GivenRuns) => ({ id: shown.id }),
    body: { version_id: 5 },
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals('key:flows:read', {}),
])
