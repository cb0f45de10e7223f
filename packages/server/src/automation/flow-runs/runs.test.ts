// Guarantees: app nodes run as tasks with the values of their sources, utility nodes in place. A run ends as its nodes
// do, and so does the task that represents it. Every step is in the log, from which the run can be rebuilt.
import type { FlowRunEvent } from '@millrace/contract/flow-runs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { rebuild } from './engine/events.ts'
import { from, graphOf } from './engine/testing/flow-builder.ts'
import { toRunState } from './node-rows.ts'
import { loadAllNodes } from './node-store.ts'
import { loadPlan } from './plans.ts'
import * as store from './store.ts'
import { app, endNode, get, oneStep, openApp, runGraph, start, utilityGraph } from './testing/given.ts'
import { cancelLeftovers } from './timers.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

const taskOf = async (id: string) => (await world.call('owner', `GET /tasks/${id}`)).data

/** Compares the rows with the state rebuilt from the log. */
const expectLogAndRowsAgree = async (runId: string): Promise<void> => {
  const { db } = world.open.platform
  const run = await store.findRun(db, runId)
  if (!run) throw new Error('no run')
  const { plan } = await loadPlan(db, run.flow_version_id, run.graph_version)
  const { data: events } = await world.call('owner', `GET /flowruns/${runId}/events`)
  const log: FlowRunEvent[] = events.map((row: { event: FlowRunEvent }) => row.event)
  expect(rebuild(plan, log)).toEqual(toRunState(plan, run, await loadAllNodes(db, runId)))
  expect(run.log_length).toBe(log.length)
}

describe('from input to output', () => {
  it('each step gets the results of the previous one, and the parent task mirrors the run', async () => {
    const run = await runGraph(
      world,
      graphOf(
        {
          in: { type: 'inputNode' },
          first: app(appId, { inputs: { text: from('in', 'text'), fixed: [1, { deep: from('in', 'n') }] } }),
          plus: {
            type: 'utility',
            data: { utility: { expression: 'input.n + 1' } },
            inputs: { n: from('first', 'count') },
          },
          second: app(appId, { inputs: { count: from('plus'), all: from('first') } }),
        },
        {
          mappings: {
            result: { sourceNodeId: 'second', sourceFieldPath: 'list[1].x' },
            gone: { sourceNodeId: 'plus', sourceFieldPath: 'no.such' },
          },
        },
      ),
      { input: { text: 'hi', n: 5 } },
    )
    const before = await get(world, run.id)
    expect(before.node_tasks.first?.task).toMatchObject({ input: { text: 'hi', fixed: [1, { deep: 5 }] } })
    expect(await taskOf(run.task_id ?? '')).toMatchObject({ status: 7, sub_flow_run_id: run.id, app_id: '' })

    await endNode(world, run.id, 'first', { output: { count: 41, note: 'n' } })
    const between = await get(world, run.id)
    expect(between.node_statuses).toEqual({ in: 'completed', first: 'completed', plus: 'completed', second: 'running' })
    expect(between.node_outputs).toEqual({ plus: { value: 42 } })
    expect(between.node_tasks.second?.task).toMatchObject({ input: { count: 42, all: { count: 41, note: 'n' } } })

    await endNode(world, run.id, 'second', { output: { list: [0, { x: 'end' }] } })
    const after = await get(world, run.id)
    expect(after).toMatchObject({ status: 3, output: { result: 'end' }, flow_run_finished: expect.any(String) })
    const parent = await taskOf(run.task_id ?? '')
    expect(parent).toMatchObject({ status: 10, output: { result: 'end' } })
    expect(parent.events.map((event: { status: number }) => event.status)).toEqual([1, 7, 10])
    await expectLogAndRowsAgree(run.id)
  })

  it('null as the result of a task or constant is a value', async () => {
    const run = await runGraph(
      world,
      graphOf({
        none: { type: 'constant', data: { utility: {} } },
        step: app(appId),
        out: { type: 'outputNode', inputs: { a: from('none'), b: from('step') } },
      }),
    )
    expect(run.node_outputs).toEqual({ none: { value: null } })
    await endNode(world, run.id, 'step', { output: null })
    expect(await get(world, run.id)).toMatchObject({ status: 3, output: { a: null, b: null } })
    await expectLogAndRowsAgree(run.id)
  })

  it('an empty flow completes at once', async () => {
    expect(await runGraph(world, graphOf({}))).toMatchObject({ status: 3, output: {}, node_outputs: null })
  })

  it('a result that the database cannot store fails only its node', async () => {
    const run = await runGraph(
      world,
      graphOf({ bad: { type: 'utility', data: { utility: { expression: '"\\u0000"' } } } }),
    )
    expect(run).toMatchObject({ status: 4, error: expect.stringContaining('cannot be stored') })
  })
})

describe('failures', () => {
  const twoBranches = () =>
    graphOf({
      bad: app(appId),
      after: app(appId, { after: ['bad'] }),
      good: app(appId),
      out: { type: 'outputNode', inputs: { x: from('good', 'x') } },
    })

  it('fail the run at once and cancel running nodes', async () => {
    const run = await runGraph(world, twoBranches())
    await endNode(world, run.id, 'bad', { error: 'broken' })
    const after = await get(world, run.id)
    expect(after).toMatchObject({ status: 4, error: expect.stringContaining('node "bad" failed: broken') })
    expect(after.node_statuses).toEqual({ bad: 'failed', after: 'blocked', good: 'cancelled', out: 'cancelled' })
    expect(await taskOf(run.task_id ?? '')).toMatchObject({ status: 11, error: after.error })

    expect(after.node_tasks.good?.task).toMatchObject({ status: 2 })
    await cancelLeftovers(world.ctx(), run.id)
    expect((await get(world, run.id)).node_tasks.good?.task).toMatchObject({ status: 12 })
    await expectLogAndRowsAgree(run.id)
  })

  it('wait for the other branches if configured', async () => {
    const run = await runGraph(world, twoBranches(), { fail_on_error: false })
    await endNode(world, run.id, 'bad', { error: 'broken' })
    expect(await get(world, run.id)).toMatchObject({ status: 2, node_statuses: { after: 'blocked', good: 'running' } })
    await endNode(world, run.id, 'good', { output: { x: 1 } })
    expect(await get(world, run.id)).toMatchObject({
      status: 4,
      node_statuses: { good: 'completed', out: 'completed' },
    })
    await expectLogAndRowsAgree(run.id)
  })

  it('a closed gate blocks later nodes without a failure', async () => {
    const run = await runGraph(
      world,
      graphOf({
        in: { type: 'inputNode' },
        gate: {
          type: 'gate',
          data: { gate_condition: { field: 'v', operator: 'gt', value: '3' } },
          inputs: { v: from('in', 'v') },
        },
        step: app(appId, { inputs: { v: from('gate', 'v') } }),
      }),
      { input: { v: 2 } },
    )
    expect(run.status).toBe(3)
    expect((await get(world, run.id)).node_statuses).toEqual({ in: 'completed', gate: 'failed', step: 'blocked' })
  })

  it('a cancelled task fails the run', async () => {
    const run = await runGraph(world, oneStep(appId))
    await endNode(world, run.id, 'step', 'cancelled')
    expect(await get(world, run.id)).toMatchObject({ status: 4, error: expect.stringContaining('was cancelled') })
  })

  it.each([
    ['an unknown app', { app_id: 'nothing' }, 'App not found'],
    ['an unknown version', { app_version_id: 'nothing' }, 'Version not found'],
    ['an unknown function', { function: 'nothing' }, 'not found; the app has'],
    ['an unknown infrastructure', { infra: 'moon' }, 'infra must be one of'],
  ])('%s fails its node', async (_name, data, text) => {
    const run = await runGraph(world, graphOf({ step: app(appId, { data }) }))
    expect(run).toMatchObject({ status: 4, error: expect.stringContaining(text) })
    await expectLogAndRowsAgree(run.id)
  })

  it('an agent node without an agent fails', async () => {
    const run = await runGraph(world, graphOf({ agent: { type: 'agentNode' } }))
    expect(run).toMatchObject({ status: 4, error: expect.stringContaining('the node has no agent') })
  })

  it('a step is limited to the scopes of the credential that started the run', async () => {
    const flow = await flowOf(world, 'owner', oneStep(appId))
    const run = await start(world, flow, {}, 'key:flows:execute')
    expect(run).toMatchObject({ status: 4, error: expect.stringContaining('missing scope: apps:execute') })
    const allowed = await start(world, flow, {}, 'key:flows:execute,apps:execute')
    expect(allowed.status).toBe(2)
  })
})

describe('cancelling', () => {
  it('ends the run and cancels its tasks', async () => {
    const run = await runGraph(world, graphOf({ a: app(appId), b: app(appId), c: app(appId, { after: ['a'] }) }))
    await world.call('owner', `POST /flowruns/${run.id}/cancel`)
    await cancelLeftovers(world.ctx(), run.id)
    const after = await get(world, run.id)
    expect(after.node_statuses).toEqual({ a: 'cancelled', b: 'cancelled', c: 'cancelled' })
    expect(after.node_tasks.a?.task).toMatchObject({ status: 12 })
    expect(after.node_tasks.b?.task).toMatchObject({ status: 12 })
    await expectLogAndRowsAgree(run.id)
  })

  it('through the task that represents the run', async () => {
    const run = await runGraph(world, oneStep(appId))
    const answer = await world.call('owner', `POST /tasks/${run.task_id}/cancel`)
    expect(answer.data).toMatchObject({ status: 12 })
    expect((await get(world, run.id)).status).toBe(5)
  })

  it('a late result changes nothing', async () => {
    const run = await runGraph(world, oneStep(appId))
    await world.call('owner', `POST /flowruns/${run.id}/cancel`)
    await endNode(world, run.id, 'step', { output: { late: true } })
    expect(await get(world, run.id)).toMatchObject({ status: 5, node_statuses: { step: 'cancelled' } })
    await expectLogAndRowsAgree(run.id)
  })
})

describe('a completion webhook', () => {
  const deliveries = async (taskId: string | undefined) =>
    world.open.platform.db
      .selectFrom('webhook_deliveries')
      .select(['event', 'body'])
      .where('task_id', '=', taskId ?? '')
      .execute()

  it('is queued once, when the run ends', async () => {
    const run = await runGraph(world, oneStep(appId), { webhook: 'https://hooks.example.com/x' })
    expect(await deliveries(run.task_id)).toEqual([])
    await endNode(world, run.id, 'step', { output: { x: 1 } })
    expect(await deliveries(run.task_id)).toMatchObject([
      { event: 'task.completed', body: { data: { id: run.task_id, status: 10, output: { result: { x: 1 } } } } },
    ])
  })

  it('also for a run that completes at once', async () => {
    const run = await runGraph(world, utilityGraph(), { input: { n: 1 }, webhook: 'https://hooks.example.com/x' })
    expect(run).toMatchObject({ status: 3, output: { total: 2 } })
    expect(await deliveries(run.task_id)).toMatchObject([{ event: 'task.completed' }])
    expect(await taskOf(run.task_id ?? '')).toMatchObject({ status: 10, webhook: 'https://hooks.example.com/x' })
  })
})

describe('running again', () => {
  it('keeps finished results unchanged and runs the rest again', async () => {
    const graph = graphOf({
      in: { type: 'inputNode' },
      a: app(appId, { inputs: { v: from('in', 'v') } }),
      b: app(appId, { inputs: { v: from('a', 'v') } }),
      out: { type: 'outputNode', inputs: { a: from('a', 'v'), b: from('b', 'v') } },
    })
    const first = await runGraph(world, graph, { input: { v: 1 } })
    await endNode(world, first.id, 'a', { output: { v: 2 } })
    await endNode(world, first.id, 'b', { error: 'no' })
    const before = await get(world, first.id)

    const { data: again } = await world.call('owner', `POST /flowruns/${first.id}/rerun`)
    const started = await get(world, again.id)
    expect(started.node_statuses).toEqual({ in: 'completed', a: 'completed', b: 'running', out: 'pending' })
    expect(started.node_tasks.a?.task_id).toBe(before.node_tasks.a?.task_id)
    expect(started.node_tasks.b?.task_id).not.toBe(before.node_tasks.b?.task_id)
    expect(started.node_tasks.b?.task).toMatchObject({ input: { v: 2 } })
    await endNode(world, again.id, 'b', { output: { v: 3 } })
    expect(await get(world, again.id)).toMatchObject({ status: 3, output: { a: 2, b: 3 }, origin_run_id: first.id })
    await expectLogAndRowsAgree(again.id)
    expect(await get(world, first.id)).toEqual(before)

    const { data: third } = await world.call('owner', `POST /flowruns/${again.id}/rerun`, { body: { node_id: 'a' } })
    expect((await get(world, third.id)).node_statuses).toEqual({
      in: 'completed',
      a: 'running',
      b: 'pending',
      out: 'pending',
    })
  })
})
