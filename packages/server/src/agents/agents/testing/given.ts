// Agents for tests, made through the API.
import type { Agent } from '@millrace/contract/agents'
import type { App } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { deploy, show } from '#execution/apps/testing/given.ts'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { As, World } from '../../../testing/world.ts'

export const freshName = (): string => `agent-${newId().slice(0, 12)}`

/** An app with any input, like a model. */
export const modelApp = async (world: World, as: As = 'owner'): Promise<App> =>
  show(
    world,
    as,
    await deploy(world, as, { category: 'chat', version: { repository: 'https://bundles.example.com/model.zip' } }),
    as === 'stranger' ? 'public' : 'team',
  )

export const givenAgent = async (world: World, as: As, version: object = {}, body: object = {}): Promise<Agent> => {
  const answer = await world.call(as, 'POST /agents', { body: { name: freshName(), version, ...body } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const showAgent = async (world: World, as: As, agent: Agent, visibility: string): Promise<Agent> => {
  const answer = await world.call(as, `POST /agents/${agent.id}/visibility`, { body: { visibility } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export type GivenAgents = {
  model: App
  /** Owned by the owner, visible to the workspace. */
  shared: Agent
  /** Owned by the member, private. */
  hidden: Agent
  /** Of another workspace, public. */
  foreign: Agent
  /** Of another workspace's owner, private. */
  secret: Agent
}

export const givenAgents = async (world: World): Promise<GivenAgents> => {
  const model = await modelApp(world)
  const core_app = { ref: `${model.namespace}/${model.name}` }
  return {
    model,
    shared: await showAgent(world, 'owner', await givenAgent(world, 'owner', { core_app }), 'team'),
    hidden: await givenAgent(world, 'member', { core_app }),
    foreign: await showAgent(world, 'stranger', await givenAgent(world, 'stranger'), 'public'),
    secret: await givenAgent(world, 'stranger'),
  }
}

export const unknownId = '00000000000000000000000000'
export const shared = ({ shared }: GivenAgents) => ({ id: shared.id })
export const hidden = ({ hidden }: GivenAgents) => ({ id: hidden.id })
export const foreign = ({ foreign }: GivenAgents) => ({ id: foreign.id })
export const secret = ({ secret }: GivenAgents) => ({ id: secret.id })

type Row = Scenario<GivenAgents>

/** Refusals of reading a single agent. */
export const readRefusals: Row[] = [
  { claim: 'signed out', as: null, path: shared, status: 404, code: 'not_found' },
  {
    claim: 'without the scope a caller counts as signed out',
    as: 'key:apps:read',
    path: shared,
    status: 404,
    code: 'not_found',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: shared, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
]

/** Refusals of every change of a single agent. */
export const writeRefusals = (body?: unknown): Row[] => [
  { claim: 'no credential', as: null, path: shared, body, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:agents:read',
    path: shared,
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: shared, body, status: 404, code: 'not_found' },
  {
    claim: 'a colleague’s private agent',
    as: 'member-key:',
    path: hiddenOfOwner,
    body,
    status: 404,
    code: 'not_found',
  },
]

/** A public agent of another workspace. */
export const foreignRefusal = (body?: unknown): Row => ({
  claim: 'a public agent of another workspace',
  as: 'owner',
  path: foreign,
  body,
  status: 403,
  code: 'forbidden',
})

function hiddenOfOwner(given: GivenAgents) {
  return { id: given.secret.id }
}
