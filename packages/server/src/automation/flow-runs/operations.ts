// Operations on flow runs.
import { IdPath, JsonObject, ListRequest, PageOf, StreamQuery, Success } from '@millrace/contract/common'
import {
  CreateFlowRun,
  FlowRun,
  FlowRunEventRow,
  FlowRunEventsQuery,
  FlowRunReplay,
  PatchFlowRun,
  ReplayFlowRun,
  RerunFlowRun,
  ResumeQuery,
  SetFlowRunVisibility,
} from '@millrace/contract/flow-runs'
import { Flow } from '@millrace/contract/flows'
import { Task } from '@millrace/contract/tasks'
import Type from 'typebox'
import { noticeUnsigned } from '#execution/tasks/service.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { operation } from '#platform/core/operation.ts'
import { lastEventIdOf } from '#platform/http/streams.ts'
import * as reads from './reads.ts'
import { replay } from './replay.ts'
import { createFlowRun, rerun } from './start.ts'
import * as writes from './writes.ts'

export const flowRunOperations = [
  operation({
    name: 'flow_runs.create',
    route: 'POST /flowruns',
    summary: 'Run a flow',
    scope: 'flows:execute',
    body: CreateFlowRun,
    reply: FlowRun,
    fails: ['not_found', 'validation_error'],
    run: async (ctx, { body }) => {
      const run = await createFlowRun(ctx, body)
      await noticeUnsigned(ctx, body.webhook)
      return run
    },
  }),
  operation({
    name: 'flow_runs.list',
    route: ['GET /flowruns', 'POST /flowruns/list'],
    summary: 'Flow runs of the workspace',
    scope: 'flows:read',
    publicRows: true,
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(FlowRun)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => reads.listRuns(ctx, body),
  }),
  operation({
    name: 'flow_runs.get',
    route: 'GET /flowruns/:id',
    summary: 'One flow run with the status of every node',
    scope: 'flows:read',
    // For the URLs that continue it.
    checkedScopes: ['flows:execute'],
    publicRows: true,
    path: IdPath,
    reply: FlowRun,
    fails: ['not_found'],
    run: (ctx, { path }) => reads.getRun(ctx, path.id),
  }),
  operation({
    name: 'flow_runs.events',
    route: 'GET /flowruns/:id/events',
    summary: 'The log of a flow run, from which its state can be rebuilt',
    scope: 'flows:read',
    publicRows: true,
    path: IdPath,
    query: FlowRunEventsQuery,
    reply: Type.Array(FlowRunEventRow),
    fails: ['not_found', 'validation_error'],
    run: (ctx, { path, query }) => reads.listEvents(ctx, path.id, query),
  }),
  operation({
    name: 'flow_runs.stream',
    route: 'GET /flowruns/:id/stream',
    summary: 'Stream a flow run until it ends',
    scope: 'flows:read',
    publicRows: true,
    stream: true,
    path: IdPath,
    query: StreamQuery,
    reply: Type.Unsafe<EventStream>(FlowRun),
    fails: ['not_found'],
    run: (ctx, { path, query }, { headers }) =>
      reads.streamRun(ctx, path.id, lastEventIdOf(headers, query.last_event_id)),
  }),
  operation({
    name: 'flow_runs.stream_tasks',
    route: 'GET /flowruns/:id/tasks/stream',
    summary: 'Stream the tasks of a flow run until it ends',
    scope: 'flows:read',
    publicRows: true,
    stream: true,
    path: IdPath,
    query: StreamQuery,
    reply: Type.Unsafe<EventStream>(Task),
    fails: ['not_found'],
    run: (ctx, { path, query }, { headers }) =>
      reads.streamRunTasks(ctx, path.id, lastEventIdOf(headers, query.last_event_id)),
  }),
  operation({
    name: 'flow_runs.cancel',
    route: 'POST /flowruns/:id/cancel',
    summary: 'Cancel a flow run; no effect on a finished one',
    scope: 'flows:execute',
    path: IdPath,
    reply: FlowRun,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => writes.cancel(ctx, path.id),
  }),
  operation({
    name: 'flow_runs.rerun',
    route: 'POST /flowruns/:id/rerun',
    summary: 'Run again from the failed nodes or a given node, with earlier results',
    scope: 'flows:execute',
    path: IdPath,
    body: RerunFlowRun,
    reply: FlowRun,
    fails: ['not_found', 'validation_error', 'invalid_state'],
    run: (ctx, { path, body }) => rerun(ctx, path.id, body),
  }),
  operation({
    name: 'flow_runs.replay',
    route: 'POST /flowruns/:id/replay',
    summary: 'Repeat a finished flow run from its record, without starting anything',
    scope: 'flows:execute',
    checkedScopes: ['flows:read'],
    path: IdPath,
    body: ReplayFlowRun,
    reply: FlowRunReplay,
    fails: ['not_found', 'invalid_state'],
    run: (ctx, { path, body }) => replay(ctx, path.id, body),
  }),
  operation({
    name: 'flow_runs.resume',
    route: 'POST /flowruns/:id/resume',
    summary: 'Continue a flow run at a node that waits for this URL; works once',
    // The token of the URL is the credential.
    scope: 'public',
    path: IdPath,
    query: ResumeQuery,
    body: JsonObject,
    bodyLimitBytes: 1024 * 1024,
    reply: Success,
    fails: ['not_found', 'validation_error', 'already_processed'],
    run: (ctx, { path, query, body }) => writes.resumeNode(ctx, path.id, query, body),
  }),
  operation({
    name: 'flow_runs.clone',
    route: 'POST /flowruns/:id/clone',
    summary: 'Create a flow from the version that ran',
    scope: 'flows:write',
    checkedScopes: ['flows:read'],
    path: IdPath,
    reply: Flow,
    fails: ['not_found'],
    run: (ctx, { path }) => writes.clone(ctx, path.id),
  }),
  operation({
    name: 'flow_runs.patch',
    route: 'POST /flowruns/:id',
    summary: 'Change the metadata of a flow run',
    scope: 'flows:write',
    path: IdPath,
    body: PatchFlowRun,
    reply: FlowRun,
    fails: ['not_found', 'forbidden', 'invalid_request', 'validation_error'],
    run: (ctx, { path, body }) => writes.patch(ctx, path.id, body),
  }),
  operation({
    name: 'flow_runs.set_visibility',
    route: 'POST /flowruns/:id/visibility',
    summary: 'Change the visibility of a flow run',
    scope: 'flows:write',
    path: IdPath,
    body: SetFlowRunVisibility,
    reply: FlowRun,
    fails: ['not_found', 'forbidden', 'validation_error', 'team_role_required'],
    run: (ctx, { path, body }) => writes.setVisibility(ctx, path.id, body.visibility),
  }),
]
