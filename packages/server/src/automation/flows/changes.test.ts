// Guarantees: only permitted callers create, rename, show, copy, transfer and delete flows, and nothing else changes
// with them.
import { slugMaxLength } from '@millrace/contract/refs'
import { expect } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { copyName } from '#platform/core/copies.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { As, World } from '../../testing/world.ts'
import { sweepVersions } from './changes.ts'
import {
  act,
  addNode,
  foreign,
  freshName,
  type GivenFlows,
  givenFlow,
  givenFlows,
  hidden,
  ownersOwn,
  setInput,
  shared,
  unknownId,
  writeRefusals,
} from './testing/given.ts'

scenarios('flows.create', givenFlows, [
  {
    claim: 'without a name, it gets one',
    as: 'member',
    status: 200,
    audits: ['flow.created'],
    emits: ['team/flows'],
    check: ({ data }) => {
      expect(data).toMatchObject({ visibility: 'private', namespace: 'mill', description: '', nodes: [] })
      expect(data.name).toBe(`flow-${data.short_id}`)
      expect(data.title).toBe(data.name)
    },
  },
  {
    claim: 'with a name, a title and a description',
    as: 'key:flows:write',
    body: () => ({ name: freshName(), title: 'Mine', description: 'Does things' }),
    status: 200,
    audits: ['flow.created'],
    emits: ['team/flows'],
    check: ({ data }) => expect(data).toMatchObject({ title: 'Mine', description: 'Does things' }),
  },
  {
    claim: 'a taken name',
    as: 'owner',
    body: ({ hidden }: GivenFlows) => ({ name: hidden.name }),
    status: 409,
    code: 'name_conflict',
  },
  ...['Has Spaces', 'actions', 'x'.repeat(slugMaxLength + 1)].map((name) => ({
    claim: `the name ${name.slice(0, 20)}`,
    as: 'owner' as const,
    body: { name },
    status: 400,
    code: 'validation_error',
  })),
  {
    claim: 'a long description',
    as: 'owner',
    body: { description: 'x'.repeat(201) },
    status: 400,
    code: 'validation_error',
  },
])

scenarios('flows.patch', givenFlows, [
  {
    claim: 'changes only the given fields',
    as: 'owner',
    path: ownersOwn,
    body: { description: 'New', thumbnail: 'https://example.com/t.png', user_id: 'ignored', colour: 'ignored' },
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['flow.updated'],
    check: ({ data }, { own }) =>
      expect(data).toMatchObject({
        name: own.name,
        description: 'New',
        thumbnail: 'https://example.com/t.png',
        user_id: own.user_id,
      }),
  },
  {
    claim: 'a new name',
    as: 'owner',
    path: ownersOwn,
    body: () => ({ name: freshName() }),
    status: 200,
    audits: ['flow.updated'],
    emits: ['flow', 'team/flows'],
  },
  {
    claim: 'any member edits a flow that is not private',
    as: 'member',
    path: shared,
    body: { title: 'T' },
    status: 200,
    audits: ['flow.updated'],
    emits: ['flow', 'team/flows'],
  },
  {
    claim: 'an admin edits a private flow, audited',
    as: 'admin',
    path: hidden,
    body: { title: 'T' },
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['team_admin.permission_bypass', 'flow.updated'],
  },
  {
    claim: 'only protected fields',
    as: 'owner',
    path: ownersOwn,
    body: { id: 'x', team_id: 'y' },
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'an empty body', as: 'owner', path: ownersOwn, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'a bad name', as: 'owner', path: ownersOwn, body: { name: 'A' }, status: 400, code: 'validation_error' },
  {
    claim: 'a long description',
    as: 'owner',
    path: ownersOwn,
    body: { description: '€'.repeat(201) },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a taken name',
    as: 'owner',
    path: ownersOwn,
    body: ({ shared }: GivenFlows) => ({ name: shared.name }),
    status: 409,
    code: 'name_conflict',
  },
  ...writeRefusals({ title: 'T' }),
])

const connected = {
  nodes: ['a', 'b'].map((id) => ({ id, type: 'merge', position: { x: 1, y: 2 } })),
  input: { b: { v: { connection: { nodeId: 'a', key: '' } } } },
}

scenarios('flows.replace', givenFlows, [
  {
    claim: 'omitted texts are emptied; the name and the graph stay',
    as: 'owner',
    act: async (world, { own }) => {
      await act(world, 'owner', own, [addNode('a')])
      await world.call('owner', `PATCH /flows/${own.id}`, { body: { description: 'old', title: 'old' } })
      return world.call('owner', `POST /flows/${own.id}`, { body: { title: 'new' } })
    },
    status: 200,
    check: ({ data }, { own }) => {
      expect(data).toMatchObject({ name: own.name, title: 'new', description: '', visibility: 'private' })
      expect(data.nodes).toHaveLength(1)
      expect(data.draft_version.graph_version).toBe(1)
    },
  },
  {
    claim: 'a graph replaces the draft and clears the undo history',
    as: 'owner',
    act: async (world, { own }) => {
      await act(world, 'owner', own, [addNode('old')])
      await world.call('owner', `POST /flows/${own.id}`, { body: { ...connected, edges: [] } })
      const undo = await act(world, 'owner', own, [{ type: 'undo' }])
      expect(undo.errors).toEqual([{ type: 'undo', message: 'nothing to undo' }])
      return world.call('owner', `GET /flows/${own.id}`)
    },
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({ ...connected, edges: [] })
      expect(data.draft_version.graph_version).toBe(2)
    },
  },
  {
    claim: 'an edge without a type gets the default',
    as: 'owner',
    path: ownersOwn,
    body: { ...connected, edges: [{ id: 'e', source: 'a', target: 'b' }] },
    status: 200,
    audits: ['flow.updated'],
    emits: ['flow', 'team/flows'],
    check: ({ data }) => expect(data.edges).toEqual([{ id: 'e', type: 'default', source: 'a', target: 'b' }]),
  },
  {
    claim: 'visibility has an operation of its own',
    as: 'owner',
    path: ownersOwn,
    body: { title: 'T', visibility: 'public' },
    status: 200,
    audits: ['flow.updated'],
    emits: ['flow', 'team/flows'],
    check: ({ data, json }) => {
      expect(data.visibility).toBe('private')
      expect(json.messages).toMatchObject([{ code: 'ignored_field', meta: { field: 'visibility' } }])
    },
  },
  {
    claim: 'a viewport alone does not change the graph',
    as: 'owner',
    act: async (world, { own }) => {
      await act(world, 'owner', own, [addNode('a')])
      return world.call('owner', `POST /flows/${own.id}`, { body: { viewport: { x: 1, y: 2, zoom: 3 } } })
    },
    status: 200,
    check: ({ data }) => {
      expect(data.viewport).toEqual({ x: 1, y: 2, zoom: 3 })
      expect(data.nodes).toHaveLength(1)
    },
  },
  {
    claim: 'a cycle',
    as: 'owner',
    path: ownersOwn,
    body: { ...connected, edges: [{ id: 'e', type: 'default', source: 'b', target: 'a' }] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a graph of more than eight megabytes',
    as: 'owner',
    path: ownersOwn,
    body: { ...connected, node_data: { a: { additional: 'x'.repeat(8_400_000) } } },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'nothing to change', as: 'owner', path: ownersOwn, body: { id: 'x' }, status: 400, code: 'invalid_request' },
  {
    claim: 'a taken name',
    as: 'owner',
    path: ownersOwn,
    body: ({ shared }: GivenFlows) => ({ name: shared.name }),
    status: 409,
    code: 'name_conflict',
  },
  ...writeRefusals({ title: 'T' }),
])

scenarios('flows.set_visibility', givenFlows, [
  {
    claim: 'the creator makes it public',
    as: 'member',
    path: hidden,
    body: { visibility: 'public' },
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['flow.visibility_changed'],
    check: ({ data }) => expect(data.visibility).toBe('public'),
  },
  {
    claim: 'an owner of the workspace does, through the bypass',
    as: 'owner',
    path: hidden,
    body: { visibility: 'unlisted' },
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['team_admin.permission_bypass', 'flow.visibility_changed'],
  },
  {
    claim: 'an admin cannot',
    as: 'admin',
    path: hidden,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a member who may edit cannot',
    as: 'member',
    path: shared,
    body: { visibility: 'private' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'the workspace reads and edits a flow of visibility team, others do not see it',
    as: 'member',
    path: hidden,
    body: { visibility: 'team' },
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['flow.visibility_changed'],
    check: async ({ data }, _given, world) => {
      expect(data.visibility).toBe('team')
      const read = (as: As) => world.call(as, `GET /flows/${data.id}`)
      expect([(await read('admin')).status, (await read('stranger')).status]).toEqual([200, 404])
      const edit = (as: As) => world.call(as, `PATCH /flows/${data.id}`, { body: { title: 'Edited' } })
      expect((await edit('key:flows:write')).data?.title).toBe('Edited')
      expect((await edit('key:flows:read')).code).toBe('insufficient_scope')
      expect((await edit('stranger')).code).toBe('not_found')
    },
  },
  {
    claim: 'an unknown visibility',
    as: 'owner',
    path: ownersOwn,
    body: { visibility: 'org' },
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals({ visibility: 'public' }),
])

scenarios('flows.delete', givenFlows, [
  {
    claim: 'deleted, with its ref and its versions',
    as: 'owner',
    path: ownersOwn,
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['flow.deleted'],
    check: async ({ data }, { own }, world) => {
      expect(data).toEqual({ success: true })
      expect((await world.call('owner', `GET /flows/${own.id}`)).status).toBe(404)
      await givenFlow(world, 'owner', { name: own.name })
      const versions = () =>
        world.open.platform.db.selectFrom('flow_versions').select('id').where('flow_id', '=', own.id).execute()
      await sweepVersions(world.open.platform)
      expect(await versions()).toHaveLength(1)
      world.clock.advance(2 * 3600_000)
      await sweepVersions(world.open.platform)
      expect(await versions()).toEqual([])
    },
  },
  ...writeRefusals(),
])

scenarios('flows.duplicate', givenFlows, [
  {
    claim: 'a private copy with the graph and a derived name',
    as: 'member',
    act: async (world, { foreign }) => {
      await act(world, 'stranger', foreign, [addNode('a'), setInput('a', 'k', 1)])
      return world.call('member', `POST /flows/${foreign.id}/duplicate`)
    },
    status: 200,
    audits: ['flow.duplicated'],
    check: ({ data }, { foreign }) =>
      expect(data).toMatchObject({
        name: `${foreign.name}-copy`,
        namespace: 'mill',
        visibility: 'private',
        nodes: [{ id: 'a' }],
        input: { a: { k: 1 } },
        published_version_id: '',
      }),
  },
  {
    claim: 'a hundred copies do not prevent another one',
    as: 'owner',
    act: async (world, { foreign }) => {
      await fillCopies(world, foreign)
      return world.call('owner', `POST /flows/${foreign.id}/duplicate`)
    },
    status: 200,
    audits: ['flow.duplicated'],
    check: ({ data }, { foreign }) => expect(data.name).toBe(`${foreign.name}-copy-101`),
  },
  {
    claim: 'a copy also requires the read scope',
    as: 'key:flows:write',
    path: ({ own }) => ({ id: own.id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'any key may copy a public flow',
    as: 'key:flows:write',
    path: foreign,
    status: 200,
    audits: ['flow.duplicated'],
    emits: ['team/flows'],
  },
  { claim: 'a private flow of another workspace', as: 'stranger', path: hidden, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
])

const fillCopies = async (world: World, { name }: { name: string }): Promise<void> => {
  const copies = Array.from({ length: 100 }, (_, index) => ({
    id: `${freshName()}-${index}`,
    team_id: world.team.id,
    user_id: world.people.owner.userId,
    namespace: 'mill',
    name: copyName(name, index + 1),
    draft_version_id: 'none',
  }))
  await world.open.platform.db.insertInto('flows').values(copies).execute()
}

const withSecondTeam = async (world: World) => {
  await addMember(world.ctx(), world.otherTeam.id, world.people.owner.userId, 'member').catch(() => {})
  return { ...(await givenFlows(world)), to: { team_id: world.otherTeam.id } }
}

scenarios('flows.transfer', withSecondTeam, [
  {
    claim: 'keeps id and name in the namespace of the new workspace',
    as: 'owner',
    path: ownersOwn,
    body: ({ to }: { to: object }) => to,
    status: 200,
    emits: ['flow', 'team/flows'],
    audits: ['flow.transferred'],
    check: ({ data }, { own }) =>
      expect(data).toMatchObject({ id: own.id, name: own.name, namespace: 'other', user_id: own.user_id }),
  },
  {
    claim: 'a flow of a person who is not a member of the new workspace becomes the caller’s',
    as: 'owner',
    path: hidden,
    body: ({ to }: { to: object }) => to,
    status: 200,
    audits: ['team_admin.permission_bypass', 'flow.transferred'],
    emits: ['flow', 'team/flows'],
    check: ({ data }, _given, world) => expect(data.user_id).toBe(world.people.owner.userId),
  },
  {
    claim: 'the ref is taken in the new workspace',
    as: 'owner',
    act: async (world, { own, to }) => {
      await givenFlow(world, 'stranger', { name: own.name })
      return world.call('owner', `POST /flows/${own.id}/transfer`, { body: to })
    },
    status: 409,
    code: 'name_conflict',
  },
  {
    claim: 'a plain member',
    as: 'member',
    path: hidden,
    body: ({ to }: { to: object }) => to,
    status: 403,
    code: 'team_role_required',
  },
  { claim: 'no team is given', as: 'owner', path: ownersOwn, body: {}, status: 400, code: 'validation_error' },
  ...writeRefusals({ team_id: unknownId }),
  {
    claim: 'to a workspace without membership',
    as: 'owner',
    path: ownersOwn,
    body: { team_id: unknownId },
    status: 403,
    code: 'forbidden',
  },
])
