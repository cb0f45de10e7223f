// Guarantees: who may start, see, cancel, rerun, clone and show runs, and the fields of each answer, including
// conditional ones.
import { shortId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { flowRunTasksSubject } from '#execution/tasks/service.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { until } from '../../testing/until.ts'
import { act, addNode, flowOf, givenFlow, publishFlow, showFlow } from '../flows/testing/given.ts'
import {
  endNode,
  foreignToo,
  type GivenRuns,
  get,
  givenRuns,
  hidden,
  live,
  readRefusals,
  runGraph,
  shown,
  start,
  unknownId,
  utilityGraph,
  writeRefusals,
} from './testing/given.ts'

const runIt = ({ flow }: GivenRuns) => ({ flow: flow.id, input: { text: 'x' } })

scenarios('flow_runs.create', givenRuns, [
  {
    claim: 'an unknown flow name of any length',
    as: 'owner',
    body: { flow: 'x'.repeat(201), input: {} },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a run that waits for a task',
    as: 'owner',
    body: runIt,
    status: 200,
    emits: ['flow_run_tasks', 'tasks'],
    check: ({ data }, { flow }) => {
      expect(data).toMatchObject({
        flow_id: flow.id,
        flow_version_id: flow.draft_version_id,
        status: 2,
        input: { text: 'x' },
        output: null,
        fail_on_error: true,
        visibility: 'team',
        node_tasks: { step: { task_id: expect.any(String), task: null } },
        node_outputs: null,
        task_id: expect.any(String),
        flow_run_started: expect.any(String),
      })
      for (const absent of ['node_statuses', 'error', 'flow_run_finished', 'flow_run_cancelled'])
        expect(data).not.toHaveProperty(absent)
    },
  },
  {
    claim: 'a run without tasks is completed in the answer',
    as: 'key:flows:execute',
    body: ({ theirs }: GivenRuns) => ({ flow: theirs.id, input: { n: 4 } }),
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({ status: 3, output: { total: 5 }, node_tasks: {}, team_id: expect.any(String) })
      expect(data.node_outputs).toEqual({ one: { value: 1 }, sum: { value: 5 } })
    },
  },
  {
    claim: 'a flow by ref',
    as: 'owner',
    body: ({ flow }: GivenRuns) => ({ flow: `${flow.namespace}/${flow.name}`, input: {} }),
    status: 200,
    emits: ['flow_run_tasks', 'tasks'],
  },
  {
    claim: 'the published version, independent of the draft',
    as: 'owner',
    act: async (world) => {
      const flow = await flowOf(world, 'owner', utilityGraph())
      const { published_version_id } = await publishFlow(world, 'owner', flow)
      await act(world, 'owner', flow, [addNode('more')])
      const answer = await world.call('owner', 'POST /flowruns', { body: { flow: flow.id, input: { n: 1 } } })
      expect(answer.data.flow_version_id).toBe(published_version_id)
      const pinned = await start(world, flow, { input: { n: 1 }, version_id: shortId(flow.draft_version_id) })
      expect(pinned.flow_version_id).toBe(flow.draft_version_id)
      return answer
    },
    status: 200,
  },
  {
    claim: 'values by node override the graph',
    as: 'owner',
    body: ({ theirs }: GivenRuns) => ({ flow: theirs.id, input: { sum: { a: 40, b: 2 } } }),
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ input: { sum: { a: 40, b: 2 } }, output: { total: 42 } }),
  },
  {
    claim: 'a required field is missing',
    as: 'owner',
    act: async (world) => {
      const flow = await givenFlow(world, 'owner')
      const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
      await act(world, 'owner', flow, [
        addNode('in', 'inputNode'),
        { type: 'flow.set_input_schema', payload: { schema } },
      ])
      const wrong = await world.call('owner', 'POST /flowruns', { body: { flow: flow.id, input: { n: 'x' } } })
      expect(wrong.code).toBe('validation_error')
      return world.call('owner', 'POST /flowruns', { body: { flow: flow.id, input: {} } })
    },
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toContain('n'),
  },
  {
    claim: 'no input',
    as: 'owner',
    body: ({ flow }: GivenRuns) => ({ flow: flow.id }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a webhook that is not an https address',
    as: 'owner',
    body: (given: GivenRuns) => ({ ...runIt(given), webhook: 'ftp://example.com' }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an unknown version',
    as: 'owner',
    body: (given: GivenRuns) => ({ ...runIt(given), version_id: unknownId }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a private flow of a member, by an administrator: refused',
    as: 'owner',
    body: ({ hidden }: GivenRuns) => ({ flow: hidden.flow_id, input: { n: 1 } }),
    status: 404,
    code: 'not_found',
  },
])

scenarios('flow_runs.get', givenRuns, [
  {
    claim: 'every node has a status, tasks are embedded and the version is included',
    as: 'owner',
    path: live,
    status: 200,
    check: ({ data }, { live, flow }) => {
      expect(data.node_statuses).toEqual({ in: 'completed', step: 'running', out: 'pending' })
      const taskId = live.node_tasks.step?.task_id
      expect(data.node_tasks.step).toMatchObject({
        task_id: taskId,
        task: { id: taskId, status: 2, flow_run_id: live.id, input: { text: 'hi' } },
      })
      expect(data.flow_version).toMatchObject({ id: flow.draft_version_id, graph_version: 1 })
    },
  },
  { claim: 'by short id', as: 'owner', path: ({ live }) => ({ id: shortId(live.id) }), status: 200 },
  {
    claim: 'public, signed out, without the graph of a private flow',
    as: null,
    path: shown,
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({ status: 3, output: { total: 2 }, node_statuses: { sum: 'completed' } })
      expect(data).not.toHaveProperty('flow_version')
    },
  },
  {
    claim: "a run of a colleague's private flow, without its graph",
    as: 'member',
    path: live,
    status: 200,
    check: ({ data }) => {
      expect(data.node_statuses).toEqual({ in: 'completed', step: 'running', out: 'pending' })
      expect(data).not.toHaveProperty('flow_version')
    },
  },
  {
    claim: 'a run of a public flow, with its graph',
    as: 'member',
    act: async (world, { theirs }) => {
      const run = await start(world, theirs, { input: { n: 1 } })
      return world.call('member', `GET /flowruns/${run.id}`)
    },
    status: 200,
    check: ({ data }, { theirs }) => expect(data.flow_version).toMatchObject({ id: theirs.draft_version_id }),
  },
  {
    claim: 'an admin sees a private run, audited',
    as: 'admin',
    path: hidden,
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  ...readRefusals,
])

const ids = (data: { items: { id: string }[] }) => data.items.map((item) => item.id)

scenarios('flow_runs.list', givenRuns, [
  {
    claim: 'runs of the workspace, without statuses of nodes',
    as: 'owner',
    route: 'POST /flowruns/list',
    body: { limit: -1 },
    status: 200,
    check: ({ data }, given) => {
      expect(ids(data)).toEqual(expect.arrayContaining([given.live.id, given.shown.id]))
      expect(ids(data)).not.toContain(given.hidden.id)
      expect(ids(data)).not.toContain(given.foreign.id)
      const item = data.items.find((one: { id: string }) => one.id === given.live.id)
      expect(item.node_tasks.step).toEqual({ task_id: expect.any(String), task: null })
      expect(item).not.toHaveProperty('node_statuses')
    },
  },
  {
    claim: 'filtered by flow and status',
    as: 'owner',
    route: 'POST /flowruns/list',
    body: ({ flow }: GivenRuns) => ({
      filters: [
        { field: 'flow_id', value: flow.id },
        { field: 'status', operator: 'lt', value: 3 },
      ],
      fields: ['status'],
    }),
    status: 200,
    check: ({ data }, { live }) => expect(data.items).toEqual([{ id: live.id, status: 2 }]),
  },
  {
    claim: 'public rows only, signed out',
    as: null,
    query: { limit: '100' },
    status: 200,
    check: ({ data }, given) => {
      expect(ids(data)).toContain(given.shown.id)
      expect(ids(data)).not.toContain(given.live.id)
    },
  },
  {
    claim: 'an unknown column is named',
    as: 'owner',
    query: { filters: '[{"field":"run_as","value":1}]' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'owner', query: { cursor: 'x' }, status: 400, code: 'invalid_request' },
])

scenarios('flow_runs.events', givenRuns, [
  {
    claim: 'the log from its first event',
    as: 'member',
    path: live,
    status: 200,
    check: ({ data }) => {
      expect(data.map((row: { seq: number }) => row.seq)).toEqual([1, 2, 3])
      expect(data.map((row: { event: { type: string } }) => row.event.type)).toEqual([
        'run_started',
        'node_completed',
        'node_started',
      ])
    },
  },
  {
    claim: 'from the given position, up to the limit',
    as: 'owner',
    path: live,
    query: { after: '1', limit: '1' },
    status: 200,
    check: ({ data }) => expect(data.map((row: { seq: number }) => row.seq)).toEqual([2]),
  },
  { claim: 'of a public run, signed out', as: null, path: shown, status: 200 },
  {
    claim: 'a negative number',
    as: 'owner',
    path: live,
    query: { after: '-1' },
    status: 400,
    code: 'validation_error',
  },
  ...readRefusals,
])

scenarios('flow_runs.cancel', givenRuns, [
  {
    claim: 'a member cancels a run of the workspace and with it its task',
    as: 'member',
    path: live,
    status: 200,
    emits: ['flow_run', 'task', 'tasks', 'team/tasks'],
    check: async ({ data }, { live }, world) => {
      expect(data).toMatchObject({ status: 5, flow_run_cancelled: expect.any(String) })
      expect(data.flow_run_finished).toBe(data.flow_run_cancelled)
      const after = await get(world, live.id)
      expect(after.node_statuses).toEqual({ in: 'completed', step: 'cancelled', out: 'cancelled' })
      const parent = await world.call('owner', `GET /tasks/${live.task_id}`)
      expect(parent.data.status).toBe(12)
    },
  },
  {
    claim: 'a finished run does not change',
    as: 'owner',
    path: shown,
    status: 200,
    check: ({ data }, { shown }) => expect(data).toMatchObject({ status: 3, updated_at: shown.updated_at }),
  },
  ...writeRefusals('key:flows:write'),
  ...foreignToo(),
])

scenarios('flow_runs.rerun', givenRuns, [
  {
    claim: 'a new run that names its origin',
    as: 'member',
    act: async (world, { live }) => {
      await endNode(world, live.id, 'step', { error: 'no' })
      return world.call('owner', `POST /flowruns/${live.id}/rerun`)
    },
    status: 200,
    check: ({ data }, { live }) => {
      expect(data).toMatchObject({ origin_run_id: live.id, status: 2, input: live.input })
      expect(data.id).not.toBe(live.id)
    },
  },
  {
    claim: 'from a given node',
    as: 'owner',
    path: shown,
    body: { node_id: 'sum' },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ status: 3, output: { total: 2 } }),
  },
  { claim: 'nothing failed', as: 'owner', path: shown, status: 400, code: 'validation_error' },
  { claim: 'an unknown node', as: 'owner', path: shown, body: { node_id: 'x' }, status: 400, code: 'validation_error' },
  { claim: 'an unfinished run', as: 'owner', path: live, status: 409, code: 'invalid_state' },
  ...writeRefusals('key:flows:write'),
  {
    claim: 'a public run of another workspace is repeated in the caller’s workspace, and not publicly',
    as: 'stranger',
    act: async (world) => {
      const flow = await showFlow(world, 'owner', await flowOf(world, 'owner', utilityGraph()), 'public')
      const run = await start(world, flow, { input: { n: 1 }, visibility: 'public' })
      return world.call('stranger', `POST /flowruns/${run.id}/rerun`, { body: { node_id: 'sum' } })
    },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ status: 3, visibility: 'team' }),
  },
  {
    claim: 'a public run of a flow that the caller cannot run',
    as: 'stranger',
    path: shown,
    body: { node_id: 'sum' },
    status: 404,
    code: 'not_found',
  },
])

scenarios('flow_runs.clone', givenRuns, [
  {
    claim: 'a copy also requires the read scope',
    as: 'key:flows:write',
    path: shown,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a private flow with the graph of the run',
    as: 'owner',
    path: shown,
    status: 200,
    audits: ['flow.duplicated'],
    emits: ['team/flows'],
    check: async ({ data }, { shown }, world) => {
      const { data: flow } = await world.call('owner', `GET /flows/${shown.flow_id}`)
      expect(data).toMatchObject({
        name: `${flow.name}-copy`,
        visibility: 'private',
        nodes: flow.nodes,
        input: flow.input,
      })
    },
  },
  {
    claim: 'a run whose flow is deleted',
    as: 'owner',
    act: async (world) => {
      const run = await runGraph(world, utilityGraph(), { input: { n: 1 } })
      await world.call('owner', `DELETE /flows/${run.flow_id}`)
      return world.call('owner', `POST /flowruns/${run.id}/clone`)
    },
    status: 200,
    check: ({ data }) => expect(data.nodes).toHaveLength(4),
  },
  {
    claim: 'a public run of a private flow, from another workspace',
    as: 'stranger',
    path: shown,
    status: 404,
    code: 'not_found',
  },
  { claim: "a run of a colleague's private flow", as: 'member', path: shown, status: 404, code: 'not_found' },
  ...writeRefusals('key:flows:execute'),
])

scenarios('flow_runs.patch', givenRuns, [
  {
    claim: 'metadata',
    as: 'member',
    path: live,
    body: { metadata: { ticket: 7 }, status: 3, id: 'x' },
    status: 200,
    emits: ['flow_run'],
    check: ({ data }, { live }) => expect(data).toMatchObject({ id: live.id, status: 2, metadata: { ticket: 7 } }),
  },
  {
    claim: 'no changeable field',
    as: 'owner',
    path: live,
    body: { status: 3 },
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'no object', as: 'owner', path: live, body: { metadata: 'x' }, status: 400, code: 'validation_error' },
  {
    claim: 'too much',
    as: 'owner',
    path: live,
    body: { metadata: { text: 'x'.repeat(70_000) } },
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals('key:flows:execute', { metadata: {} }),
  ...foreignToo({ metadata: {} }),
])

scenarios('flow_runs.set_visibility', givenRuns, [
  {
    claim: 'the owner hides it',
    as: 'owner',
    path: live,
    body: { visibility: 'private' },
    status: 200,
    emits: ['flow_run', 'task'],
    audits: ['flow_run.visibility_changed'],
    check: ({ data }) => expect(data.visibility).toBe('private'),
  },
  {
    claim: 'an admin makes it public',
    as: 'admin',
    path: live,
    body: { visibility: 'public' },
    status: 200,
    audits: ['flow_run.visibility_changed'],
    emits: ['flow_run', 'task'],
  },
  {
    claim: 'a member does not make another member’s run public',
    as: 'member',
    path: live,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'an unknown visibility',
    as: 'owner',
    path: live,
    body: { visibility: 'x' },
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals('key:flows:execute', { visibility: 'team' }),
  ...foreignToo({ visibility: 'team' }),
])

scenarios('flow_runs.stream', givenRuns, [
  {
    claim: 'a finished run is one event and the end',
    as: 'owner',
    path: shown,
    status: 200,
    check: ({ text }) => {
      expect(text.match(/^event: \w+/gm)).toEqual(['event: update', 'event: done'])
      expect(text).not.toContain('node_statuses')
    },
  },
  { claim: 'public, signed out', as: null, path: shown, status: 200 },
  {
    claim: 'a reader that has seen the end gets 204',
    as: 'owner',
    path: shown,
    headers: { 'last-event-id': '9' },
    status: 204,
  },
  ...readRefusals,
])

scenarios('flow_runs.stream_tasks', givenRuns, [
  {
    claim: 'the tasks of a finished run, and the end',
    as: 'member',
    act: async (world, { live }) => {
      await endNode(world, live.id, 'step', { output: { text: 'done' } })
      return world.call('member', `GET /flowruns/${live.id}/tasks/stream`)
    },
    status: 200,
    check: ({ text }) => {
      expect(text.match(/^event: \w+/gm)).toEqual(['event: update', 'event: done'])
      expect(text).toContain('"output":{"text":"done"}')
    },
  },
  { claim: 'a run without tasks', as: null, path: shown, status: 200 },
  {
    claim: 'a reader that has seen the end gets 204, any other gets the end',
    as: 'member',
    act: async (world, { live }) => {
      const route = `GET /flowruns/${live.id}/tasks/stream`
      await endNode(world, live.id, 'step', { output: { text: 'done' } })
      const { text } = await world.call('member', route)
      const last = Number(/^id: (\d+)$/m.exec(text)?.[1])
      const before = await world.call('member', route, { headers: { 'last-event-id': String(last - 1) } })
      expect(before.status).toBe(200)
      expect((await world.call('member', route, { query: { last_event_id: String(last) } })).status).toBe(204)
      return world.call('member', route, { headers: { 'last-event-id': String(last) } })
    },
    status: 204,
  },
  {
    claim: 'a reader of an unfinished run always gets its tasks',
    as: 'owner',
    act: async (world, { live }) => {
      const route = `GET /flowruns/${live.id}/tasks/stream`
      const following = world.call('owner', route, { headers: { 'last-event-id': '1000' } })
      await until(async () => world.open.platform.bus.hasListener(flowRunTasksSubject(live.id)))
      await endNode(world, live.id, 'step', { output: { text: 'done' } })
      return following
    },
    status: 200,
    emits: ['flow_run', 'flow_run_tasks', 'task', 'tasks'],
    check: ({ text }) => expect(text).toContain('"output":{"text":"done"}'),
  },
  ...readRefusals,
])
