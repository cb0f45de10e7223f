// Guarantees: a flow is found by id, short id and ref by exactly those who may see it, with its graphs and their apps.
// Lists page, filter and hide private flows of others. Versions are as visible as their flow.
import { shortId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { deploy, show } from '#execution/apps/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import {
  act,
  addNode,
  foreign,
  type GivenFlows,
  givenFlow,
  givenFlows,
  hidden,
  publishFlow,
  readRefusals,
  shared,
  showFlow,
  unknownId,
} from './testing/given.ts'

scenarios('flows.get', givenFlows, [
  {
    claim: 'the creator sees the flow with an empty draft',
    as: 'member',
    path: hidden,
    status: 200,
    check: ({ data }, { hidden }) => {
      expect(data).toMatchObject({
        id: hidden.id,
        short_id: shortId(hidden.id),
        namespace: 'mill',
        visibility: 'private',
        published_version_id: '',
        nodes: [],
        edges: [],
        node_data: {},
        input: {},
        input_schema: null,
        output_schema: null,
        output_mappings: {},
        draft_version: { id: hidden.draft_version_id, graph_version: 0, nodes: [] },
      })
      expect(data).not.toHaveProperty('published_version')
    },
  },
  { claim: 'by short id', as: 'owner', path: ({ own }) => ({ id: shortId(own.id) }), status: 200 },
  { claim: 'an unlisted flow is visible to anyone with its address', as: 'stranger', path: shared, status: 200 },
  { claim: 'a public flow is visible signed out', as: null, path: foreign, status: 200 },
  { claim: 'a public flow is visible without the scope', as: 'key:apps:read', path: foreign, status: 200 },
  {
    claim: 'an admin sees a private flow, audited',
    as: 'admin',
    path: hidden,
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  ...readRefusals,
])

scenarios(
  'flows.get',
  async (world) => {
    const app = await show(world, 'owner', await deploy(world, 'owner'), 'team')
    const flow = await givenFlow(world, 'owner')
    await act(world, 'owner', flow, [
      addNode('a', 'appNode', { app_id: app.id, infra: 'cloud', note: 'kept' }),
      addNode('m', 'merge', { workers: null }),
    ])
    await publishFlow(world, 'owner', flow)
    await world.call('owner', `POST /flows/${flow.id}/visibility`, { body: { visibility: 'public' } })
    return { app, flow }
  },
  [
    {
      claim: 'node data has its app and any other stored field',
      as: 'owner',
      path: ({ flow }) => ({ id: flow.id }),
      status: 200,
      check: ({ data }, { app }) => {
        const shown = { app_id: app.id, note: 'kept', app: { id: app.id, name: app.name } }
        expect(data.node_data.a).toMatchObject(shown)
        expect(data.published_version.node_data.a).toMatchObject(shown)
        expect(data.published_version.id).toBe(data.published_version_id)
      },
    },
    {
      claim: 'every node has fields for its app and engine, which are empty for utility nodes',
      as: 'owner',
      path: ({ flow }) => ({ id: flow.id }),
      status: 200,
      check: async ({ data }, { app, flow }, world) => {
        const nothing = { app_id: '', app_version_id: '', infra: '', workers: [] }
        const onApp = { app_id: app.id, app_version_id: '', infra: 'cloud', workers: [], note: 'kept' }
        const filters = [{ field: 'id', value: flow.id }]
        const flows = await world.call('owner', 'POST /flows/list', { body: { filters } })
        const versions = await world.call('owner', `GET /flows/${flow.id}/versions`)
        for (const { node_data: shown } of [data, data.published_version, ...flows.data.items, ...versions.data.items])
          expect(shown).toMatchObject({ m: nothing, a: onApp })
        expect(data.node_data.m).toEqual(nothing)
      },
    },
    {
      claim: 'an app that the reader may not see is omitted',
      as: 'stranger',
      path: ({ flow }) => ({ id: flow.id }),
      status: 200,
      check: ({ data }) => expect(data.node_data.a).toMatchObject({ app: null }),
    },
    {
      claim: 'an app of the workspace is omitted for a key without the scope to read apps',
      as: 'key:flows:read',
      path: ({ flow }) => ({ id: flow.id }),
      status: 200,
      check: async ({ data }, { app, flow }, world) => {
        expect(data.node_data.a).toMatchObject({ app_id: app.id, app: null })
        const both = await world.call('key:flows:read,apps:read', `GET /flows/${flow.id}`)
        expect(both.data.node_data.a).toMatchObject({ app: { id: app.id } })
      },
    },
    {
      claim: 'the private app of a member is omitted for an owner, because the bypass would be audited',
      as: 'owner',
      act: async (world) => {
        const hidden = await deploy(world, 'member')
        const flow = await showFlow(world, 'member', await givenFlow(world, 'member'), 'unlisted')
        await act(world, 'member', flow, [addNode('a', 'appNode', { app_id: hidden.id })])
        expect((await world.call('member', `GET /flows/${flow.id}`)).data.node_data.a.app.id).toBe(hidden.id)
        return world.call('owner', `GET /flows/${flow.id}`)
      },
      status: 200,
      check: ({ data }) => expect(data.node_data.a).toMatchObject({ app: null }),
    },
  ],
)

const refOf = ({ namespace, name }: { namespace: string; name: string }) => ({ namespace, name })

scenarios('flows.get_by_ref', givenFlows, [
  {
    claim: 'by its ref',
    as: 'owner',
    path: ({ own }) => refOf(own),
    status: 200,
    check: ({ data }, { own }) => expect(data.id).toBe(own.id),
  },
  { claim: 'public, signed out', as: null, path: ({ foreign }) => refOf(foreign), status: 200 },
  {
    claim: 'private, of another workspace',
    as: 'stranger',
    path: ({ hidden }) => refOf(hidden),
    status: 404,
    code: 'not_found',
  },
  { claim: 'not there', as: 'owner', path: { namespace: 'mill', name: 'no' }, status: 404, code: 'not_found' },
])

const ids = (data: { items: { id: string }[] }) => new Set(data.items.map((item) => item.id))

scenarios('flows.list', givenFlows, [
  {
    claim: 'flows of the workspace, with the caller’s own private flows',
    as: 'owner',
    body: { limit: -1 },
    route: 'POST /flows/list',
    status: 200,
    check: ({ data }, given) => {
      expect(ids(data)).toContain(given.own.id)
      expect(ids(data)).toContain(given.shared.id)
      expect(ids(data)).not.toContain(given.hidden.id)
      expect(ids(data)).not.toContain(given.foreign.id)
      const item = data.items.find((item: { id: string }) => item.id === given.own.id)
      expect(item).toMatchObject({ nodes: [], output_mappings: {} })
      expect(item).not.toHaveProperty('draft_version')
    },
  },
  {
    claim: 'public rows only, signed out',
    as: null,
    query: { limit: '100' },
    status: 200,
    check: ({ data }, given) => {
      expect(ids(data)).toContain(given.foreign.id)
      expect(ids(data)).not.toContain(given.shared.id)
    },
  },
  {
    claim: 'filtered, with selected fields',
    as: 'owner',
    route: 'POST /flows/list',
    body: ({ own }: GivenFlows) => ({
      filters: [{ field: 'name', operator: 'eq', value: own.name }],
      fields: ['name'],
    }),
    status: 200,
    check: ({ data }, { own }) => expect(data.items).toEqual([{ id: own.id, name: own.name }]),
  },
  {
    claim: 'owners on request',
    as: 'owner',
    route: 'POST /flows/list',
    body: ({ own }: GivenFlows) => ({ filters: [{ field: 'id', value: own.id }], preloads: ['user', 'team'] }),
    status: 200,
    check: ({ data }) => expect(data.items[0]).toMatchObject({ team: { username: 'mill' }, user: { role: 'user' } }),
  },
  {
    claim: 'an unknown column is named',
    as: 'owner',
    route: 'POST /flows/list',
    body: { sort: [{ field: 'history' }] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a broken cursor',
    as: 'owner',
    route: 'POST /flows/list',
    body: { cursor: 'x' },
    status: 400,
    code: 'invalid_request',
  },
])

scenarios('flows.versions', givenFlows, [
  {
    claim: 'the draft, and a published snapshot if there is one',
    as: 'owner',
    path: shared,
    route: 'POST /flows/:id/versions/list',
    act: async (world, { shared }) => {
      await publishFlow(world, 'owner', shared)
      return world.call('owner', `POST /flows/${shared.id}/versions/list`)
    },
    status: 200,
    check: ({ data }, { shared }) => {
      expect(data.total_items).toBe(2)
      expect(ids(data)).toContain(shared.draft_version_id)
      expect(data.items[0]).toMatchObject({ graph_version: 0, nodes: [], edges: [] })
    },
  },
  { claim: 'of a public flow, signed out', as: null, path: foreign, status: 200 },
  {
    claim: 'an unknown column is named',
    as: 'owner',
    path: shared,
    query: { sort: '[{"field":"graph"}]' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a broken cursor',
    as: 'owner',
    path: shared,
    query: { cursor: 'x' },
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'a private flow of another workspace', as: 'stranger', path: hidden, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
])
