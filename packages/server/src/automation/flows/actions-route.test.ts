// Guarantees: actions are applied in order and echoed. After a failure, earlier actions stay and the answer is 422.
// Undo and redo belong to their user. A frozen draft never changes.
import { expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import {
  act,
  addNode,
  type GivenFlows,
  givenFlows,
  hidden,
  ownersOwn,
  setInput,
  shared,
  writeRefusals,
} from './testing/given.ts'

const move = (id: string, x: number) => ({ type: 'node.move', payload: { id, position: { x, y: 0 } } })

scenarios('flows.act', givenFlows, [
  {
    claim: 'a batch is applied in order and echoed, with one version for all of it',
    as: 'owner',
    path: ownersOwn,
    body: { actions: [addNode('a'), addNode('b'), setInput('b', 'k', { connection: { nodeId: 'a', key: '' } })] },
    status: 200,
    emits: ['flow', 'team/flows'],
    check: async ({ data }, { own }, world) => {
      expect(data).toMatchObject({ version: 1, errors: [] })
      expect(data.actions).toHaveLength(3)
      const { data: flow } = await world.call('owner', `GET /flows/${own.id}`)
      expect(flow.draft_version).toMatchObject({ id: own.draft_version_id, graph_version: 1 })
      expect(flow.input).toEqual({ b: { k: { connection: { nodeId: 'a', key: '' } } } })
    },
  },
  {
    claim: 'actions before a failure stay, and the answer reports the failure at its top level',
    as: 'owner',
    path: ownersOwn,
    body: { actions: [addNode('a'), addNode('a'), addNode('c')] },
    status: 422,
    emits: ['flow', 'team/flows'],
    code: 'flow_action_failed',
    check: async ({ json }, { own }, world) => {
      expect(json).toMatchObject({
        version: 1,
        actions: [{ type: 'node.add', payload: { id: 'a' } }],
        errors: [{ type: 'node.add', message: expect.stringContaining('already exists') }],
        status: 422,
        title: expect.any(String),
        detail: expect.stringContaining('node.add'),
      })
      const { data: flow } = await world.call('owner', `GET /flows/${own.id}`)
      expect(flow.nodes.map((node: { id: string }) => node.id)).toEqual(['a'])
    },
  },
  {
    claim: 'the same with an idempotency key',
    as: 'owner',
    path: ownersOwn,
    headers: { 'idempotency-key': 'once' },
    body: { actions: [addNode('a'), addNode('a')] },
    status: 422,
    emits: ['flow', 'team/flows'],
    code: 'flow_action_failed',
    check: async (_answer, { own }, world) => {
      const { data: flow } = await world.call('owner', `GET /flows/${own.id}`)
      expect(flow.nodes).toHaveLength(1)
    },
  },
  {
    claim: 'an unknown action',
    as: 'owner',
    path: ownersOwn,
    body: { actions: [{ type: 'node.explode', payload: {} }] },
    status: 422,
    code: 'flow_action_failed',
    check: ({ json }) => expect(json).toMatchObject({ version: 0, actions: [], errors: [{ type: 'node.explode' }] }),
  },
  {
    claim: 'undo beside another action applies nothing',
    as: 'owner',
    path: ownersOwn,
    body: { actions: [addNode('a'), { type: 'undo' }] },
    status: 422,
    code: 'flow_action_failed',
    check: ({ json }) => expect(json).toMatchObject({ version: 0, actions: [], errors: [{ type: 'undo' }] }),
  },
  {
    claim: 'an invalid schema',
    as: 'owner',
    path: ownersOwn,
    body: { actions: [{ type: 'flow.set_input_schema', payload: { schema: { type: 'array' } } }] },
    status: 422,
    code: 'flow_action_failed',
  },
  {
    claim: 'an empty undo stack is not a failure',
    as: 'owner',
    path: ownersOwn,
    body: { actions: [{ type: 'undo' }] },
    status: 200,
    check: ({ data }) =>
      expect(data).toEqual({ version: 0, actions: [], errors: [{ type: 'undo', message: 'nothing to undo' }] }),
  },
  {
    claim: 'undo answers with the inverse, redo with the action',
    as: 'owner',
    act: async (world, { own }) => {
      await act(world, 'owner', own, [addNode('a')])
      expect(await act(world, 'owner', own, [{ type: 'undo' }])).toEqual({
        version: 2,
        actions: [{ type: 'node.remove', payload: { id: 'a' } }],
        errors: [],
      })
      return world.call('owner', `POST /flows/${own.id}/actions`, { body: { actions: [{ type: 'redo' }] } })
    },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ version: 3, actions: [addNode('a')], errors: [] }),
  },
  {
    claim: 'a user cannot undo the actions of another user',
    as: 'member',
    act: async (world, { shared }) => {
      await act(world, 'owner', shared, [addNode('a')])
      return world.call('member', `POST /flows/${shared.id}/actions`, { body: { actions: [{ type: 'undo' }] } })
    },
    status: 200,
    check: ({ data }) => expect(data.errors).toEqual([{ type: 'undo', message: 'nothing to undo' }]),
  },
  {
    claim: 'a member edits a shared flow',
    as: 'member',
    path: shared,
    body: { actions: [addNode('a')] },
    status: 200,
    emits: ['flow', 'team/flows'],
  },
  {
    claim: 'an admin edits a private flow, audited',
    as: 'admin',
    path: hidden,
    body: { actions: [addNode('a')] },
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['team_admin.permission_bypass'],
  },
  {
    claim: 'a graph never exceeds eight megabytes',
    as: 'owner',
    act: async (world, { own }) => {
      await act(world, 'owner', own, [addNode('a', 'merge', { additional: 'x'.repeat(5_000_000) })])
      const more = [addNode('b'), addNode('c', 'merge', { additional: 'x'.repeat(4_000_000) })]
      return world.call('owner', `POST /flows/${own.id}/actions`, { body: { actions: more } })
    },
    status: 422,
    code: 'flow_action_failed',
    check: ({ json }) => expect(json).toMatchObject({ version: 1, actions: [], errors: [{ type: 'node.add' }] }),
  },
  {
    claim: 'an entry that is too large is not stored for undo',
    as: 'owner',
    act: async (world, { own }) => {
      const large = (id: string) => [addNode(id, 'merge', { additional: 'x'.repeat(6_000_000) })]
      await act(world, 'owner', own, large('a'))
      await act(world, 'owner', own, [addNode('b')])
      expect((await act(world, 'owner', own, [{ type: 'undo' }])).actions).toHaveLength(1)
      return world.call('owner', `POST /flows/${own.id}/actions`, { body: { actions: [{ type: 'undo' }] } })
    },
    status: 200,
    check: ({ data }) => expect(data.errors).toEqual([{ type: 'undo', message: 'nothing to undo' }]),
  },
  { claim: 'no actions', as: 'owner', path: ownersOwn, body: { actions: [] }, status: 400, code: 'validation_error' },
  { claim: 'no list', as: 'owner', path: ownersOwn, body: {}, status: 400, code: 'validation_error' },
  ...writeRefusals({ actions: [addNode('a')] }),
  {
    claim: 'an edit after a run creates a new draft and keeps the graph that ran',
    as: 'owner',
    act: async (world, { own }: GivenFlows) => {
      await act(world, 'owner', own, [addNode('a')])
      const { data: run } = await world.call('owner', 'POST /flowruns', { body: { flow: own.id, input: {} } })
      expect(run.flow_version_id).toBe(own.draft_version_id)
      await act(world, 'owner', own, [move('a', 7)])
      const { data: again } = await world.call('owner', `GET /flowruns/${run.id}`)
      expect(again.flow_version).toMatchObject({ graph_version: 1, nodes: [{ position: { x: 0 } }] })
      return world.call('owner', `GET /flows/${own.id}`)
    },
    status: 200,
    check: ({ data }, { own }) => {
      expect(data.draft_version_id).not.toBe(own.draft_version_id)
      expect(data.draft_version).toMatchObject({ graph_version: 2, nodes: [{ position: { x: 7 } }] })
    },
  },
])

it('has exactly the documented actions', async () => {
  const { actionPayloads } = await import('@millrace/contract/flows')
  expect(Object.keys(actionPayloads).sort()).toEqual(
    [
      ...['node.add', 'node.remove', 'node.move', 'node.move_many', 'node.duplicate', 'node.rename', 'node.set_app'],
      ...['node.update', 'node.set_input', 'node.clear_input', 'edge.add', 'edge.remove', 'flow.set_input_schema'],
      ...[
        'flow.set_output_schema',
        'flow.set_output_mapping',
        'flow.remove_output_mapping',
        'flow.rename_output_field',
      ],
    ].sort(),
  )
})
