// Guarantees: a run and its parts have the same visibility from the start and after every change: the tasks of its
// nodes, the task that represents it, the agents and flows inside it, and everything that a concurrent step starts.
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenAgent, modelApp } from '#agents/agents/testing/given.ts'
import { move } from '#execution/tasks/service.ts'
import { readStream } from '../../testing/read-stream.ts'
import { until } from '../../testing/until.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { from, graphOf } from './engine/testing/flow-builder.ts'
import { app, endNode, oneStep, openApp, runGraph, taskIdOf } from './testing/given.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

const seen = async (as: As, ...paths: string[]): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await world.call(as, `GET ${path}`)).status))

const setVisibility = (id: string, visibility: string) =>
  world.call('owner', `POST /flowruns/${id}/visibility`, { body: { visibility } })

/** The addresses of a run, of the task that represents it, and of its step's task. */
const placesOf = async (run: { id: string; task_id?: string | undefined }, nodeId: string) => {
  const nodeTask = await taskIdOf(world, run.id, nodeId)
  return [`/flowruns/${run.id}`, `/tasks/${run.task_id}`, `/tasks/${nodeTask}`]
}

it('a colleague sees neither a private run, nor its steps, nor its own task', async () => {
  const run = await runGraph(world, oneStep(appId), { input: { text: 'mine' }, visibility: 'private' })
  const places = await placesOf(run, 'step')
  expect(await seen('member', ...places)).toEqual([404, 404, 404])
  expect(await seen('owner', ...places)).toEqual([200, 200, 200])
})

it('hiding or showing a run also changes its tasks', async () => {
  const run = await runGraph(world, oneStep(appId), { input: { text: 'x' }, visibility: 'public' })
  await endNode(world, run.id, 'step', { output: { text: 'result' } })
  const places = await placesOf(run, 'step')
  expect(await seen(null, ...places)).toEqual([200, 200, 200])
  await setVisibility(run.id, 'private')
  expect(await seen(null, ...places)).toEqual([404, 404, 404])
  expect(await seen('member', ...places)).toEqual([404, 404, 404])
  await setVisibility(run.id, 'team')
  expect(await seen('member', ...places)).toEqual([200, 200, 200])
})

it('inner flows have its visibility, from their start and after a change', async () => {
  const flow = await flowOf(world, 'owner', oneStep(appId))
  const { data: inner } = await world.call('owner', `POST /flows/${flow.id}/app`)
  const run = await runGraph(world, graphOf({ inner: app(inner.id, { inputs: { text: 'x' } }) }), {
    visibility: 'private',
  })
  const { data: task } = await world.call('owner', `GET /tasks/${await taskIdOf(world, run.id, 'inner')}`)
  const places = await placesOf({ id: task.sub_flow_run_id, task_id: task.id }, 'step')
  expect(await seen('member', ...places)).toEqual([404, 404, 404])
  await setVisibility(run.id, 'team')
  expect(await seen('member', ...places)).toEqual([200, 200, 200])
  await setVisibility(run.id, 'private')
  expect(await seen('member', ...places)).toEqual([404, 404, 404])
})

it('a task of a flow run cannot be hidden alone, because the run would still show its output', async () => {
  const run = await runGraph(world, oneStep(appId), { input: { text: 'x' } })
  await endNode(world, run.id, 'step', { output: { text: 'result' } })
  for (const id of [await taskIdOf(world, run.id, 'step'), run.task_id]) {
    const hide = () => world.call('owner', `POST /tasks/${id}/visibility`, { body: { visibility: 'private' } })
    const refused = await hide()
    expect(refused, refused.text).toMatchObject({ status: 409, code: 'invalid_state' })
    const shown = await world.call('owner', `POST /tasks/${id}/visibility`, { body: { visibility: 'public' } })
    expect(shown.status, shown.text).toBe(200)
    await setVisibility(run.id, 'private')
    expect(await seen('member', ...(await placesOf(run, 'step')))).toEqual([404, 404, 404])
    await setVisibility(run.id, 'team')
  }
})

it('so does the task of an agent', async () => {
  const model = await modelApp(world)
  const agent = await givenAgent(world, 'owner', { core_app: { id: model.id } })
  const ask = { type: 'agentNode', data: { agent_id: agent.id }, inputs: { text: 'why?' } } as const
  const run = await runGraph(world, graphOf({ ask }), { visibility: 'private' })
  expect(await seen('member', ...(await placesOf(run, 'ask')))).toEqual([404, 404, 404])
})

it('tasks that a step starts while the run is being hidden are hidden too', async () => {
  const graph = graphOf({ a: app(appId), b: app(appId, { inputs: { x: from('a', 'x') } }) })
  const run = await runGraph(world, graph, { visibility: 'public' })
  const first = await taskIdOf(world, run.id, 'a')
  const [moved, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const stepping = world.ctx().tx(async (ctx) => {
    await move(ctx, first, { fence: null, to: taskStatus.completed, output: { x: 1 } })
    moved.resolve()
    await held.promise
  })
  await moved.promise
  const hiding = setVisibility(run.id, 'private')
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => (await waiting.execute(world.open.platform.db)).rows.length > 0)
  held.resolve()
  await stepping
  expect((await hiding).status).toBe(200)
  expect(await seen(null, ...(await placesOf(run, 'b')))).toEqual([404, 404, 404])
})

it('a reader who loses access receives no more task events', async () => {
  const run = await runGraph(world, oneStep(appId), { input: { text: 'x' }, visibility: 'public' })
  const stream = await readStream(`${await world.listen()}/flowruns/${run.id}/tasks/stream`, {})
  expect(await stream.next()).toMatchObject({ event: 'update', data: { flow_run_id: run.id } })
  await setVisibility(run.id, 'private')
  expect(await stream.rest()).toMatchObject([{ event: 'error', data: { status: 404 } }])
})
