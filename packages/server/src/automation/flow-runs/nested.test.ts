// Guarantees: a flow deployed as an app runs like any app: alone or as a step of another flow, completing at once or
// waiting for tasks. Its task is running while the flow runs and ends with it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { from, graphOf } from './engine/testing/flow-builder.ts'
import { app, endNode, get, oneStep, openApp, runGraph, sum, utilityGraph } from './testing/given.ts'
import { cancelLeftovers } from './timers.ts'

let world: World
let plainApp: string
let sumApp: string
let stepApp: string

const deployFlow = async (graph: ReturnType<typeof graphOf>): Promise<string> => {
  const flow = await flowOf(world, 'owner', graph)
  const answer = await world.call('owner', `POST /flows/${flow.id}/app`)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data.id
}

beforeAll(async () => {
  world = await createWorld()
  plainApp = (await openApp(world)).id
  sumApp = await deployFlow(utilityGraph())
  stepApp = await deployFlow(oneStep(plainApp))
})
afterAll(() => world?.close())

const taskOf = async (id: string | undefined) => (await world.call('owner', `GET /tasks/${id}`)).data
const runApp = async (appId: string, input: object) =>
  (await world.call('owner', 'POST /run', { body: { app_id: appId, input } })).data

it('run as an app, it answers as accepted and completes', async () => {
  const accepted = await runApp(sumApp, { n: 1 })
  expect(accepted.status).toBeLessThan(10)
  const task = await taskOf(accepted.id)
  expect(task).toMatchObject({ status: 10, output: { total: 2 }, app_id: sumApp, sub_flow_run_id: expect.any(String) })
  expect(await get(world, task.sub_flow_run_id)).toMatchObject({ status: 3, task_id: accepted.id })
})

it('run as an app, its task runs until the flow ends, and fails with it', async () => {
  const { id, status: accepted } = await runApp(stepApp, { text: 'x' })
  expect(accepted).toBe(2)
  const { sub_flow_run_id: runId, status } = await taskOf(id)
  expect(status).toBe(7)
  await endNode(world, runId, 'step', { error: 'broken' })
  expect(await taskOf(id)).toMatchObject({ status: 11, error: expect.stringContaining('broken') })
})

it('a run of the flow itself belongs to its app', async () => {
  const flow = await flowOf(world, 'owner', utilityGraph())
  const { data: deployed } = await world.call('owner', `POST /flows/${flow.id}/app`)
  const { data: run } = await world.call('owner', 'POST /flowruns', { body: { flow: flow.id, input: { n: 1 } } })
  expect(await taskOf(run.task_id)).toMatchObject({ app_id: deployed.id, app_version_id: deployed.version_id })
})

it('many successive steps that complete at once leave nothing waiting', async () => {
  const length = 30
  const steps = Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `s${index}`,
      app(sumApp, { inputs: { n: index === 0 ? 0 : from(`s${index - 1}`, 'total') } }),
    ]),
  )
  const run = await runGraph(
    world,
    graphOf({ ...steps, out: { type: 'outputNode', inputs: { n: from(`s${length - 1}`, 'total') } } }),
  )
  expect(run).toMatchObject({ status: 3, output: { n: length } })
})

it('a step that completes at once joins one that completed long before', async () => {
  const run = await runGraph(
    world,
    graphOf({
      early: app(plainApp),
      late: app(plainApp),
      quick: app(sumApp, { inputs: { n: from('late', 'n') } }),
      join: { ...sum, inputs: { a: from('early', 'n'), b: from('quick', 'total') } },
      out: { type: 'outputNode', inputs: { n: from('join') } },
    }),
  )
  await endNode(world, run.id, 'early', { output: { n: 100 } })
  await endNode(world, run.id, 'late', { output: { n: 1 } })
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { n: 102 } })
})

it('waits for the tasks of an inner flow and continues', async () => {
  const run = await runGraph(
    world,
    graphOf({
      inner: app(stepApp, { inputs: { text: 'x' } }),
      out: { type: 'outputNode', inputs: { r: from('inner', 'result') } },
    }),
  )
  const inner = await taskOf((await get(world, run.id)).node_tasks.inner?.task_id)
  expect(inner).toMatchObject({ status: 7, flow_run_id: run.id })
  await endNode(world, inner.sub_flow_run_id, 'step', { output: { done: true } })
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { r: { done: true } } })
})

it('cancelling it cancels the inner flow and its tasks', async () => {
  const run = await runGraph(world, graphOf({ inner: app(stepApp, { inputs: { text: 'x' } }) }))
  const { sub_flow_run_id: innerRun } = await taskOf((await get(world, run.id)).node_tasks.inner?.task_id)
  await world.call('owner', `POST /flowruns/${run.id}/cancel`)
  await cancelLeftovers(world.ctx(), run.id)
  await cancelLeftovers(world.ctx(), innerRun)
  const after = await get(world, innerRun)
  expect(after).toMatchObject({ status: 5, node_tasks: { step: { task: { status: 12 } } } })
})

it('a flow that contains itself fails, directly and through another', async () => {
  const flow = await flowOf(world, 'owner', graphOf({}))
  const deploy = async () => (await world.call('owner', `POST /flows/${flow.id}/app`)).data.id
  const self = await deploy()
  const through = await deployFlow(graphOf({ back: app(self) }))
  for (const inner of [self, through]) {
    const { nodes, node_data } = await flowOf(world, 'owner', graphOf({ a: app(inner), b: app(inner) }))
    await world.call('owner', `POST /flows/${flow.id}`, { body: { nodes, node_data } })
    await deploy()
    const { id } = await runApp(self, {})
    expect(await taskOf(id)).toMatchObject({
      status: 11,
      error: expect.stringContaining('A flow cannot be a step of itself'),
    })
  }
})

it('flows may be nested up to a depth', async () => {
  let inner = sumApp
  for (let level = 1; level < 16; level += 1)
    inner = await deployFlow(graphOf({ step: app(inner, { inputs: { n: 1 } }) }))
  expect(await taskOf((await runApp(inner, {})).id)).toMatchObject({ status: 10 })
  const deeper = await deployFlow(graphOf({ step: app(inner) }))
  expect(await taskOf((await runApp(deeper, {})).id)).toMatchObject({
    status: 11,
    error: expect.stringContaining('nested more than 16 levels'),
  })
})

it('the flow of an app can be deleted, and the app still runs', async () => {
  const flow = await flowOf(world, 'owner', utilityGraph())
  const { data: deployed } = await world.call('owner', `POST /flows/${flow.id}/app`)
  await world.call('owner', `DELETE /flows/${flow.id}`)
  const accepted = await runApp(deployed.id, { n: 41 })
  expect(await taskOf(accepted.id)).toMatchObject({ status: 10, output: { total: 42 } })
})
