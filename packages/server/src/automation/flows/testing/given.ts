// Flows for tests, created through the API.
import type { Flow, FlowAction, FlowGraph } from '@millrace/contract/flows'
import { newId } from '@millrace/contract/ids'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { As, World } from '../../../testing/world.ts'

export const freshName = (): string => `flow-${newId().slice(0, 12)}`

export const givenFlow = async (world: World, as: As, body: object = {}, team?: string): Promise<Flow> => {
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
  const flow = await givenFlow(world, as, body)
  const answer = await world.call(as, `POST /flows/${flow.id}`, { body: graph })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export type GivenFlows = {
  /** Owned by the owner, unlisted; the workspace lists it. */
  shared: Flow
  /** Private to the owner. */
  own: Flow
  /** Private to the member. */
  hidden: Flow
  /** Public, of another workspace. */
  foreign: Flow
  /** Private to the owner of another workspace. */
  secret: Flow
}

export const givenFlows = async (world: World): Promise<GivenFlows> => ({
  shared: await showFlow(world, 'owner', await givenFlow(world, 'owner'), 'unlisted'),
  own: await givenFlow(world, 'owner'),
  hidden: await givenFlow(world, 'member'),
  foreign: await showFlow(world, 'stranger', await givenFlow(world, 'stranger'), 'public'),
  secret: await givenFlow(world, 'stranger'),
})

export const unknownId = '00000000000000000000000000'
export const shared = ({ shared }: GivenFlows) => ({ id: shared.id })
export const hidden = ({ hidden }: GivenFlows) => ({ id: hidden.id })
export const foreign = ({ foreign }: GivenFlows) => ({ id: foreign.id })
export const secret = ({ secret }: GivenFlows) => ({ id: secret.id })

type Row = Scenario<GivenFlows>

/** Callers that may not read a flow. */
export const readRefusals: Row[] = [
  { claim: 'private, as another member', as: 'admin', path: secret, status: 404, code: 'not_found' },
  { claim: 'private, signed out', as: null, path: hidden, status: 404, code: 'not_found' },
  {
    claim: 'without the scope, a caller counts as signed out',
    as: 'key:apps:read',
    path: hidden,
    status: 404,
    code: 'not_found',
  },
  { claim: 'private, as another workspace', as: 'stranger', path: hidden, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
]

/** Callers that may not change a flow. */
export const writeRefusals = (body?: unknown): Row[] => [
  { claim: 'no credential', as: null, path: shared, body, status: 401, code: 'unauthorized' },
  { claim: 'a read-only key', as: 'key:flows:read', path: shared, body, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: hidden, body, status: 404, code: 'not_found' },
  { claim: 'public, of another workspace', as: 'owner', path: foreign, body, status: 403, code: 'forbidden' },
  {
    claim: 'a private flow of the owner, as a member',
    as: 'member',
    path: ownersOwn,
    body,
    status: 404,
    code: 'not_found',
  },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, body, status: 404, code: 'not_found' },
]

export function ownersOwn(given: GivenFlows) {
  return { id: given.own.id }
}
