// Guarantees: a flow node runs another flow as a run of its own with the scopes of the outer run, ends with it, and is
// cancelled with it. Failures reach the output `error`, loops run one flow per item, and the depth is limited.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { from, graphOf, type NodeSpec } from './engine/testing/flow-builder.ts'
import { endNode, get, oneStep, openApp, runGraph, start, utilityGraph } from './testing/given.ts'
import { cancelLeftovers } from './timers.ts'

let world: World
let sumFlow: string
let stepFlow: string
beforeAll(async () => {
  world = await createWorld()
  sumFlow = (await flowOf(world, 'owner', utilityGraph())).id
  stepFlow = (await flowOf(world, 'owner', oneStep((await openApp(world)).id))).id
})
afterAll(() => world?.close())

const flowNode = (flow: string, spec: NodeSpec = {}): NodeSpec => ({
  ...spec,
  type: 'flow',
  data: { flow, ...spec.data },
})

const outer = (node: NodeSpec, more: Record<string, NodeSpec> = {}) =>
  graphOf({
    in: { type: 'inputNode' },
    inner: node,
    ...more,
    out: { type: 'outputNode', inputs: { r: from('inner') } },
  })

const innerRunOf = async (runId: string) => {
  const task = (await get(world, runId)).node_tasks.inner?.task as { sub_flow_run_id: string } | undefined
  return get(world, task?.sub_flow_run_id ?? '')
}

it('a flow that completes at once gives its output', async () => {
  const run = await runGraph(world, outer(flowNode(sumFlow, { inputs: { n: from('in', 'n') } })), { input: { n: 4 } })
  expect(run).toMatchObject({ status: 3, output: { r: { total: 5 } } })
  expect(await innerRunOf(run.id)).toMatchObject({ status: 3, flow_id: sumFlow, input: { n: 4 } })
})

it('a flow that waits for a task ends its node', async () => {
  const run = await runGraph(world, outer(flowNode(stepFlow, { inputs: { text: 'hi' } })))
  expect(run.status).toBe(2)
  const inner = await innerRunOf(run.id)
  expect(inner).toMatchObject({ status: 2, visibility: run.visibility })
  await endNode(world, inner.id, 'step', { output: 'done' })
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { r: { result: 'done' } } })
})

it('a failure of the inner flow continues at the output `error`', async () => {
  const why: NodeSpec = { type: 'merge', inputs: { code: from('inner', 'code', 'error') } }
  const run = await runGraph(world, outer(flowNode(stepFlow, { data: { on_error: 'branch' } }), { why }))
  await endNode(world, (await innerRunOf(run.id)).id, 'step', { error: 'broken' })
  expect(await get(world, run.id)).toMatchObject({
    status: 3,
    node_outputs: { why: { value: { code: 'task_failed' } } },
  })
})

it('cancelling the outer run cancels the inner one', async () => {
  const run = await runGraph(world, outer(flowNode(stepFlow)))
  const inner = await innerRunOf(run.id)
  await world.call('owner', `POST /flowruns/${run.id}/cancel`)
  await cancelLeftovers(world.ctx(), run.id)
  expect((await get(world, inner.id)).status).toBe(5)
})

it('a loop runs one flow per item', async () => {
  const data = { for_each: { input: 'n', parallel: 2 } }
  const run = await runGraph(world, outer(flowNode(sumFlow, { data, inputs: { n: [1, 2, 3] } })))
  expect(run).toMatchObject({ status: 3, output: { r: [{ total: 2 }, { total: 3 }, { total: 4 }] } })
})

it.each([
  ['an unknown flow', 'nothing', 'Flow not found'],
  ['no flow', '', 'the node has no flow'],
])('%s fails the node', async (_name, flow, error) => {
  expect(await runGraph(world, outer(flowNode(flow)))).toMatchObject({
    status: 4,
    error: expect.stringContaining(error),
  })
})

it('a private flow of another workspace is not found', async () => {
  const theirs = await flowOf(world, 'stranger', utilityGraph())
  const run = await runGraph(world, outer(flowNode(theirs.id)))
  expect(run).toMatchObject({ status: 4, error: expect.stringContaining('Flow not found') })
})

it('the scopes of the outer run apply to the nodes of the inner one', async () => {
  const flow = await flowOf(world, 'owner', outer(flowNode(stepFlow)))
  const run = await start(world, flow, {}, 'key:flows:execute')
  expect(run).toMatchObject({ status: 4, error: expect.stringContaining('missing scope: apps:execute') })
})

it('flows are nested at most 8 levels', async () => {
  const wrapped = async (flow: string) =>
    (await flowOf(world, 'owner', outer(flowNode(flow, { inputs: { n: from('in', 'n') } })))).id
  let flow = sumFlow
  for (let level = 1; level < 8; level += 1) flow = await wrapped(flow)
  expect(await start(world, { id: flow }, { input: { n: 1 } })).toMatchObject({ status: 3 })
  const tooDeep = await start(world, { id: await wrapped(flow) }, { input: { n: 1 } })
  expect(tooDeep).toMatchObject({ status: 4, error: expect.stringContaining('more than 8 levels') })
})
