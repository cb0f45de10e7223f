// Flow runs for tests, started through the API; the tasks of their nodes end by the production code.
import type { App } from '@millrace/contract/apps'
import type { FlowRun } from '@millrace/contract/flow-runs'
import type { Flow, FlowGraph } from '@millrace/contract/flows'
import { taskStatus } from '@millrace/contract/task-status'
import { deploy, show } from '#execution/apps/testing/given.ts'
import { move } from '#execution/tasks/service.ts'
import { guest } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { As, World } from '../../../testing/world.ts'
import { flowOf, showFlow } from '../../flows/testing/given.ts'
import { from, graphOf, type NodeSpec } from '../engine/testing/flow-builder.ts'

/** An app that accepts any input. */
export const openApp = async (world: World, as: As = 'owner'): Promise<App> =>
  show(world, as, await deploy(world, as, { version: { repository: 'https://bundles.example.com/any.zip' } }), 'team')

export const app = (id: string, spec: NodeSpec = {}): NodeSpec => ({ ...spec, data: { app_id: id, ...spec.data } })

export const sum: NodeSpec = { type: 'utility', data: { utility: { expression: 'input.a + input.b' } } }

/** in → sum (+ 1) → out, without a task. */
export const utilityGraph = (): FlowGraph =>
  graphOf({
    in: { type: 'inputNode' },
    one: { type: 'constant', data: { utility: { constant: 1 } } },
    sum: { ...sum, inputs: { a: from('in', 'n'), b: from('one') } },
    out: { type: 'outputNode', inputs: { total: from('sum') } },
  })

/** in → step → out, one task. */
export const oneStep = (appId: string): FlowGraph =>
  graphOf({
    in: { type: 'inputNode' },
    step: app(appId, { inputs: { text: from('in', 'text') } }),
    out: { type: 'outputNode', inputs: { result: from('step') } },
  })

export const start = async (
  world: World,
  flow: { id: string },
  body: object = {},
  as: As = 'owner',
): Promise<FlowRun> => {
  const answer = await world.call(as, 'POST /flowruns', { body: { flow: flow.id, input: {}, ...body } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const runGraph = async (world: World, graph: FlowGraph, body: object = {}, as: As = 'owner') =>
  start(world, await flowOf(world, as, graph), body, as)

export const get = async (world: World, id: string, as: As = 'owner'): Promise<FlowRun> => {
  const answer = await world.call(as, `GET /flowruns/${id}`)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const taskIdOf = async (world: World, runId: string, nodeId: string): Promise<string> => {
  const node = (await get(world, runId)).node_tasks[nodeId]
  if (!node) throw new Error(`node ${nodeId} has no task`)
  return node.task_id
}

type End = { output: unknown } | { error: string } | 'cancelled'

export const endTask = async (world: World, taskId: string, end: End): Promise<void> => {
  const ctx = createCtx(world.open.platform, guest)
  if (end === 'cancelled') await move(ctx, taskId, { fence: null, to: taskStatus.cancelled })
  else if ('error' in end) await move(ctx, taskId, { fence: null, to: taskStatus.failed, error: end.error })
  else await move(ctx, taskId, { fence: null, to: taskStatus.completed, output: end.output })
}

/** Ends the latest task of a node. */
export const endNode = async (world: World, runId: string, nodeId: string, end: End): Promise<void> =>
  endTask(world, await taskIdOf(world, runId, nodeId), end)

export type GivenRuns = {
  app: App
  /** Waits for its one task; owned by the owner, visible in the workspace. */
  live: FlowRun
  /** Finished and public. */
  shown: FlowRun
  /** Finished and private to the member. */
  hidden: FlowRun
  /** Waits in another workspace. */
  foreign: FlowRun
  /** The flow of `live` and `shown`. */
  flow: Flow
  /** A public flow of another workspace. */
  theirs: Flow
}

export const givenRuns = async (world: World): Promise<GivenRuns> => {
  const given = await openApp(world)
  const flow = await flowOf(world, 'owner', oneStep(given.id))
  const utility = await flowOf(world, 'owner', utilityGraph())
  const own = await flowOf(world, 'member', utilityGraph())
  const theirs = await showFlow(world, 'stranger', await flowOf(world, 'stranger', utilityGraph()), 'public')
  const theirApp = await openApp(world, 'stranger')
  return {
    app: given,
    flow,
    theirs,
    live: await start(world, flow, { input: { text: 'hi' } }),
    shown: await start(world, utility, { input: { n: 1 }, visibility: 'public' }),
    hidden: await start(world, own, { input: { n: 1 }, visibility: 'private' }, 'member'),
    foreign: await runGraph(world, oneStep(theirApp.id), {}, 'stranger'),
  }
}

export const unknownId = '00000000000000000000000000'
export const live = ({ live }: GivenRuns) => ({ id: live.id })
export const shown = ({ shown }: GivenRuns) => ({ id: shown.id })
export const hidden = ({ hidden }: GivenRuns) => ({ id: hidden.id })

type Row = Scenario<GivenRuns>

/** Callers that may not read a run. */
export const readRefusals: Row[] = [
  { claim: 'a run of the workspace, signed out', as: null, path: live, status: 404, code: 'not_found' },
  {
    claim: 'without the scope, a caller counts as signed out',
    as: 'key:apps:read',
    path: live,
    status: 404,
    code: 'not_found',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: live, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
]

/** Callers that may not change a run. `weaker` lacks the scope. */
export const writeRefusals = (weaker: `key:${string}`, body?: unknown): Row[] => [
  { claim: 'no credential', as: null, path: live, body, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: weaker, path: live, body, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: live, body, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, body, status: 404, code: 'not_found' },
]

export const foreignToo = (body?: unknown): Row[] => [
  { claim: 'a public run of another workspace', as: 'stranger', path: shown, body, status: 403, code: 'forbidden' },
]
