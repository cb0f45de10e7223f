// Guarantees: a published version never changes. A flow that is deployed as an app keeps that app and adds a version
// each time.
import { expect } from 'vitest'
import { limitPrivateApps } from '#execution/apps/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import {
  act,
  addNode,
  freshName,
  givenFlow,
  givenFlows,
  hidden,
  ownersOwn,
  publishFlow,
  shared,
  writeRefusals,
} from './testing/given.ts'

scenarios('flows.publish', givenFlows, [
  {
    claim: 'a snapshot of the draft',
    as: 'owner',
    path: ownersOwn,
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['flow.published'],
    check: ({ data }, { own }) => {
      expect(data.published_version_id).not.toBe('')
      expect(data.published_version_id).not.toBe(own.draft_version_id)
      expect(data.published_version).toMatchObject({ id: data.published_version_id, graph_version: 0, nodes: [] })
    },
  },
  {
    claim: 'is not affected by later edits',
    as: 'owner',
    act: async (world, { own }) => {
      await publishFlow(world, 'owner', own)
      await act(world, 'owner', own, [addNode('a')])
      return world.call('owner', `GET /flows/${own.id}`)
    },
    status: 200,
    check: ({ data }) => {
      expect(data.nodes).toHaveLength(1)
      expect(data.published_version.nodes).toHaveLength(0)
    },
  },
  {
    claim: 'any member publishes a flow that is not private',
    as: 'member',
    path: shared,
    status: 200,
    audits: ['flow.published'],
    emits: ['flow', 'team/flows'],
  },
  ...writeRefusals(),
])

const schema = { type: 'object', properties: { z: { type: 'string' }, a: { type: 'string' } }, required: ['z'] }

const withSchema = async (world: World) => {
  await limitPrivateApps(world, world.team.id, 10_000)
  const given = await givenFlows(world)
  await act(world, 'owner', given.own, [{ type: 'flow.set_input_schema', payload: { schema } }])
  return given
}

const deployTwice = async (world: World, own: { id: string }, second: object = {}) => {
  const first = await world.call('owner', `POST /flows/${own.id}/app`)
  await act(world, 'owner', own, [addNode(freshName())])
  const again = await world.call('owner', `POST /flows/${own.id}/app`, { body: second })
  return { first, again }
}

scenarios('flows.deploy', withSchema, [
  {
    claim: 'an app of the same name that runs the published version',
    as: 'owner',
    path: ownersOwn,
    status: 200,
    emits: ['flow', 'team/flows', 'team/apps'],
    audits: ['flow.published', 'app.created'],
    check: async ({ data }, { own }, world) => {
      const { data: flow } = await world.call('owner', `GET /flows/${own.id}`)
      expect(data).toMatchObject({ name: own.name, namespace: 'mill', category: 'flow', visibility: 'private' })
      expect(data.version).toMatchObject({ flow_version_id: flow.published_version_id, kernel: '', repository: '' })
      expect(Object.keys(data.version.input_schema.properties)).toEqual(['z', 'a'])
    },
  },
  {
    claim: 'with a name, a description and a category of its own',
    as: 'owner',
    path: ownersOwn,
    body: () => ({ name: freshName(), description: 'An app', category: 'text' }),
    status: 200,
    audits: ['flow.published', 'app.created'],
    emits: ['flow', 'team/flows', 'team/apps'],
    check: ({ data }) => expect(data).toMatchObject({ description: 'An app', category: 'text' }),
  },
  {
    claim: 'repeated: a new version of the same app',
    as: 'owner',
    act: async (world, { own }) => {
      const { first, again } = await deployTwice(world, own)
      expect(again.data.id).toBe(first.data.id)
      expect(again.data.version_id).not.toBe(first.data.version_id)
      return again
    },
    status: 200,
  },
  {
    claim: 'repeated without promotion',
    as: 'owner',
    act: async (world, { own }) => {
      const { first, again } = await deployTwice(world, own, { preserve_current_version: true })
      expect(again.data.version_id).toBe(first.data.version_id)
      return again
    },
    status: 200,
  },
  {
    claim: 'repeated after its app was deleted: a new app',
    as: 'owner',
    act: async (world, { own }) => {
      const first = await world.call('owner', `POST /flows/${own.id}/app`)
      await world.call('owner', `DELETE /apps/${first.data.id}`)
      const again = await world.call('owner', `POST /flows/${own.id}/app`)
      expect(again.data.id).not.toBe(first.data.id)
      return again
    },
    status: 200,
  },
  {
    claim: 'under a reserved name',
    as: 'owner',
    path: ownersOwn,
    body: { name: 'license' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'under the name of a private app of another member',
    as: 'member',
    act: async (world, { hidden }) => {
      const name = freshName()
      const other = await givenFlow(world, 'owner', { name })
      await world.call('owner', `POST /flows/${other.id}/app`)
      return world.call('member', `POST /flows/${hidden.id}/app`, { body: { name } })
    },
    status: 409,
    code: 'name_conflict',
  },
  {
    claim: 'with flows:write alone',
    as: 'key:flows:write',
    path: ownersOwn,
    status: 403,
    code: 'insufficient_scope',
    check: ({ json }) => expect(json.detail).toContain('apps:write'),
  },
  {
    claim: 'above the limit of the plan',
    as: 'member',
    act: async (world, { hidden }) => {
      await limitPrivateApps(world, world.team.id, 1)
      return world.call('member', `POST /flows/${hidden.id}/app`)
    },
    status: 402,
    code: 'limit_exceeded',
    check: async (_answer, { hidden }, world) => {
      const { data: flow } = await world.call('member', `GET /flows/${hidden.id}`)
      expect(flow.published_version_id).toBe('')
    },
  },
  {
    claim: 'on a plan without private apps',
    as: 'member',
    act: async (world, { hidden }) => {
      await limitPrivateApps(world, world.team.id, 0)
      return world.call('member', `POST /flows/${hidden.id}/app`)
    },
    status: 403,
    code: 'feature_not_available',
  },
  {
    claim: 'a member, their own private flow',
    as: 'member',
    path: hidden,
    status: 200,
    audits: ['flow.published', 'app.created'],
    emits: ['flow', 'team/flows', 'team/apps'],
  },
  ...writeRefusals(),
])
