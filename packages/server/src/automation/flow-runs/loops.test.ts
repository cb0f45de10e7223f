// Guarantees: a loop runs its node once for each item, at most `parallel` at a time, and its result is in the order of
// the items. Failures follow `on_error`. Rows exist for open items only, and no event is needed twice or lost.
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { from, graphOf } from './engine/testing/flow-builder.ts'
import { app, endTask, get, openApp, runGraph, utilityGraph } from './testing/given.ts'
import { cancelTasks, endAttempt, sweep, wakeItem } from './timers.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

const each = (data: object, items: unknown, target = appId) =>
  graphOf({
    step: app(target, {
      data: { for_each: { input: 'n' }, ...data },
      inputs: { n: items, fixed: 'same' },
    }),
    out: { type: 'outputNode', inputs: { results: from('step') } },
  })

type ItemTask = { id: string; item: number; input: { n: unknown; fixed: string } }

const openTasks = async (runId: string): Promise<ItemTask[]> => {
  const { rows } = await sql<ItemTask>`
    select id, flow_item as item, input from tasks where flow_run_id = ${runId} and flow_node_id = 'step'
      and status < ${taskStatus.completed} order by flow_item, created_at`.execute(world.open.platform.db)
  return rows
}

const rowsOf = async (table: 'flow_run_items' | 'flow_run_loop_chunks', runId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ${sql.table(table)} where run_id = ${runId}`.execute(world.open.platform.db)
  return rows[0]?.count ?? 0
}

/** Ends open items, the last first, until none is left. */
const endAll = async (runId: string, endOf = (n: unknown): Parameters<typeof endTask>[2] => ({ output: { n } })) => {
  for (let open = await openTasks(runId); open.length > 0; open = await openTasks(runId)) {
    const last = open.at(-1)
    if (last) await endTask(world, last.id, endOf(last.input.n))
  }
}

const list = (length: number) => Array.from({ length }, (_, index) => index)

describe('a loop', () => {
  it('runs a few items at a time, and its results are in order', async () => {
    const run = await runGraph(world, each({ for_each: { input: 'n', parallel: 3 } }, list(8)))
    expect((await openTasks(run.id)).map(({ input }) => input)).toEqual([0, 1, 2].map((n) => ({ n, fixed: 'same' })))
    expect(await get(world, run.id)).toMatchObject({
      node_statuses: { step: 'running' },
      node_waits: { step: { kind: 'items' } },
      node_loops: { step: { total: 8, open: 3, done: 0, failed: 0 } },
    })
    const [, second] = await openTasks(run.id)
    await endTask(world, second?.id ?? '', { output: { n: 1 } })
    await endTask(world, second?.id ?? '', { output: { n: 'again' } })
    expect((await openTasks(run.id)).map(({ item }) => item)).toEqual([0, 2, 3])
    await endAll(run.id)
    expect(await get(world, run.id)).toMatchObject({
      status: 3,
      output: { results: list(8).map((n) => ({ n })) },
      node_loops: { step: { total: 8, open: 0, done: 8, failed: 0 } },
    })
  })

  it('stores rows for open items, not for finished ones', async () => {
    const run = await runGraph(world, each({ for_each: { input: 'n', parallel: 5 } }, list(350)))
    expect([await rowsOf('flow_run_items', run.id), await rowsOf('flow_run_loop_chunks', run.id)]).toEqual([5, 4])
    const before = (await get(world, run.id)).node_loops?.step
    expect(before).toEqual({ total: 350, open: 5, done: 0, failed: 0 })
    for (let ended = 0; ended < 110; ended += 1) {
      const [first] = await openTasks(run.id)
      await endTask(world, first?.id ?? '', { output: first?.item })
    }
    expect([await rowsOf('flow_run_items', run.id), await rowsOf('flow_run_loop_chunks', run.id)]).toEqual([5, 3])
    await world.call('owner', `POST /flowruns/${run.id}/cancel`)
    await cancelTasks(world.open.platform)({ run_id: run.id })
    expect([await rowsOf('flow_run_items', run.id), await rowsOf('flow_run_loop_chunks', run.id)]).toEqual([0, 0])
    expect(await openTasks(run.id)).toEqual([])
  })

  it.each([
    ['an empty list', [], { status: 3, output: { results: [] } }],
    ['a value that is no list', 'text', { status: 4, error: expect.stringContaining('must be an array') }],
    ['too many items', list(10_001), { status: 4, error: expect.stringContaining('at most 10000 items') }],
  ])('over %s', async (_name, items, expected) => {
    expect(await runGraph(world, each({}, items))).toMatchObject(expected)
  })

  it('whose items end at once continues by a job after a while', async () => {
    const flow = await flowOf(world, 'owner', utilityGraph())
    const { data: flowApp } = await world.call('owner', `POST /flows/${flow.id}/app`)
    const run = await runGraph(world, each({ for_each: { input: 'n', parallel: 50 } }, list(130), flowApp.id))
    expect((await get(world, run.id)).node_loops?.step).toEqual({ total: 130, open: 0, done: 100, failed: 0 })
    await wakeItem(world.open.platform)({ run_id: run.id, node_id: 'step' })
    expect(await get(world, run.id)).toMatchObject({
      status: 3,
      output: { results: list(130).map((n) => ({ total: n + 1 })) },
    })
  })

  it('that was cancelled starts no more items', async () => {
    const run = await runGraph(world, each({ for_each: { input: 'n', parallel: 1 } }, list(3)))
    const [first] = await openTasks(run.id)
    await world.call('owner', `POST /flowruns/${run.id}/cancel`)
    await endTask(world, first?.id ?? '', { output: 1 })
    expect(await openTasks(run.id)).toEqual([])
    expect((await get(world, run.id)).status).toBe(5)
  })
})

describe('a failed item', () => {
  const oneFails = (mode: string, more = {}) =>
    each({ for_each: { input: 'n', parallel: 2, on_error: mode }, ...more }, list(4))
  const failing = (n: unknown) => (n === 1 ? { error: 'broken' } : { output: { n } })

  it('fails the node and cancels the other items', async () => {
    const run = await runGraph(world, oneFails('fail'))
    const [, second] = await openTasks(run.id)
    await endTask(world, second?.id ?? '', { error: 'broken' })
    expect(await get(world, run.id)).toMatchObject({ status: 4, error: expect.stringContaining('item 1: broken') })
    await cancelTasks(world.open.platform)({ run_id: run.id })
    expect(await openTasks(run.id)).toEqual([])
  })

  it('is left out', async () => {
    const run = await runGraph(world, oneFails('skip'))
    await endAll(run.id, failing)
    expect(await get(world, run.id)).toMatchObject({
      status: 3,
      output: { results: [{ n: 0 }, { n: 2 }, { n: 3 }] },
      node_loops: { step: { done: 3, failed: 1 } },
    })
    expect(await rowsOf('flow_run_items', run.id)).toBe(0)
  })

  it('is collected in its place', async () => {
    const run = await runGraph(world, oneFails('collect'))
    await endAll(run.id, failing)
    expect(await get(world, run.id)).toMatchObject({
      status: 3,
      output: { results: [{ n: 0 }, { error: 'broken', code: 'task_failed', item: 1 }, { n: 2 }, { n: 3 }] },
    })
  })

  it('continues at the output `error`', async () => {
    const graph = oneFails('fail', { on_error: 'branch' })
    const run = await runGraph(world, {
      ...graph,
      nodes: [...graph.nodes, { id: 'why', type: 'merge', position: { x: 0, y: 0 } }],
      input: { ...graph.input, why: { all: from('step', '', 'error') } },
    })
    const [first] = await openTasks(run.id)
    await endTask(world, first?.id ?? '', { error: 'broken' })
    expect(await get(world, run.id)).toMatchObject({
      status: 3,
      node_outputs: { why: { value: { all: { error: 'item 0: broken', code: 'task_failed', node: 'step' } } } },
    })
  })

  it('is retried when due', async () => {
    const run = await runGraph(world, oneFails('fail', { retry: { attempts: 2, backoff_ms: 1_000 } }))
    const [first] = await openTasks(run.id)
    await endTask(world, first?.id ?? '', { error: 'once' })
    const wake = () => wakeItem(world.open.platform)({ run_id: run.id, node_id: 'step', item: 0 })
    await wake()
    expect((await openTasks(run.id)).map(({ item }) => item)).toEqual([1])
    world.clock.advance(1_000)
    await wake()
    await wake()
    expect((await openTasks(run.id)).map(({ item }) => item)).toEqual([0, 1])
    await endAll(run.id)
    expect(await get(world, run.id)).toMatchObject({ status: 3, output: { results: list(4).map((n) => ({ n })) } })
  })

  it('has a timeout of its own', async () => {
    const run = await runGraph(world, oneFails('collect', { timeout_ms: 5_000 }))
    const [first] = await openTasks(run.id)
    const payload = { run_id: run.id, node_id: 'step', item: 0, task_id: first?.id ?? '' }
    await endAttempt(world.open.platform)(payload)
    expect((await openTasks(run.id))[0]?.id).toBe(first?.id)
    world.clock.advance(5_000)
    await endAttempt(world.open.platform)(payload)
    await cancelTasks(world.open.platform)({ run_id: run.id })
    expect((await openTasks(run.id)).map(({ item }) => item)).toEqual([1, 2])
    await endAll(run.id)
    expect((await get(world, run.id)).output).toMatchObject({ results: [{ code: 'timed_out', item: 0 }, {}, {}, {}] })
  })

  it('that could not start counts as failed', async () => {
    const run = await runGraph(world, each({ for_each: { input: 'n', on_error: 'collect' } }, list(3), 'gone'))
    expect(await get(world, run.id)).toMatchObject({
      status: 3,
      output: { results: list(3).map((item) => ({ error: 'App not found', code: 'not_found', item })) },
    })
  })
})

it('the sweep delivers lost ends and starts lost items', async () => {
  const { db } = world.open.platform
  const run = await runGraph(world, each({ for_each: { input: 'n', parallel: 2 } }, list(3)))
  const [first] = await openTasks(run.id)
  await db
    .updateTable('tasks')
    .set({ status: 10, output: '{"n":0}' })
    .where('id', '=', first?.id ?? '')
    .execute()
  world.clock.advance(60_000)
  await sweep(world.open.platform)
  expect((await openTasks(run.id)).map(({ item }) => item)).toEqual([1, 2])
  await endAll(run.id)
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { results: list(3).map((n) => ({ n })) } })
})

it('two items that end at the same moment are both counted', async () => {
  const run = await runGraph(world, each({ for_each: { input: 'n', parallel: 10 } }, list(10)))
  await Promise.all((await openTasks(run.id)).map(({ id, item }) => endTask(world, id, { output: { n: item } })))
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { results: list(10).map((n) => ({ n })) } })
})

it('the items of a loop can be listed in order', async () => {
  const run = await runGraph(world, each({ for_each: { input: 'n', parallel: 4 } }, list(4)))
  const { data } = await world.call('owner', 'POST /tasks/list', {
    body: {
      filters: [
        { field: 'flow_run_id', value: run.id },
        { field: 'flow_node_id', value: 'step' },
      ],
      sort: [{ field: 'flow_item', dir: 'desc' }],
      fields: ['flow_item'],
    },
  })
  expect(data.items).toMatchObject([3, 2, 1, 0].map((flow_item) => ({ flow_item })))
})
