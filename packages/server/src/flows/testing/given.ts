// Flows for tests to speak about, made through the real doors.
import type { Flow, FlowAction, FlowGraph } from '@millrace/contract/flows'
import { newId } from '@millrace/contract/ids'
import type { As, World } from '../../testing/world.ts'

export const freshName = (): string => `flow-${newId().slice(0, 12)}`

export const makeFlow = async (world: World, as: As, body: object = {}, team?: string): Promise<Flow> => {
  const answer = await world.call(as, 'POST /flows', { body: { name: freshName(), ...body }, team })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const act = async (world: World, as: As, flow: { id: string }, actions: readonly FlowAction[]) => {
  const answer = await world.call(as, `POST /flows/${flow.id}/actions`, { body: { actions } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const addNode = (id: string, type = 'merge', data: object = {}): FlowAction => ({
  type: 'node.add',
  payload: { id, type, position: { x: 0, y: 0 }, data },
})

export const setInput = (node_id: string, input_key: string, input: unknown): FlowAction => ({
  type: 'node.set_input',
  payload: { node_id, input_key, input },
})

export const showFlow = async (world: World, as: As, flow: Flow, visibility: string): Promise<Flow> => {
  const answer = await world.call(as, `POST /flows/${flow.id}/visibility`, { body: { visibility } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const publishFlow = async (world: World, as: As, flow: { id: string }): Promise<Flow> => {
  const answer = await world.call(as, `POST /flows/${flow.id}/publish`)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

/** A flow whose draft is this graph. */
export const flowOf = async (world: World, as: As, graph: FlowGraph, body: object = {}): Promise<Flow> => {
  const flow = await makeFlow(world, as, body)
  const answer = await world.call(as, `POST /flows/${flow.id}`, { body: graph })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export type GivenFlows = {
  /** Of the owner, for everyone who knows its address; the workspace lists it. */
  shared: Flow
  /** Of the member alone. */
  hidden: Flow
  /** Of another workspace, for everyone. */
  foreign: Flow
  /** Of another workspace's owner alone. */
  secret: Flow
}

export const givenFlows = async (world: World): Promise<GivenFlows> => ({
  shared: await showFlow(world, 'owner', await makeFlow(world, 'owner'), 'unlisted'),
  hidden: await makeFlow(world, 'member'),
  foreign: await showFlow(world, 'stranger', await makeFlow(world, 'stranger'), 'public'),
  secret: await makeFlow(world, 'stranger'),
})
