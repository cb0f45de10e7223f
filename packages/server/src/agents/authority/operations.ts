// Operations on authority. The rules are in service.ts.
import { Authority } from '@millrace/contract/authority'
import { IdPath } from '@millrace/contract/common'
import { operation } from '#platform/core/operation.ts'
import * as authority from './service.ts'

export const authorityOperations = [
  operation({
    name: 'agent_runs.authority',
    route: 'GET /agent-runs/:id/authority',
    summary: 'The authority of a run: who started it, with which scopes, and what allowed each call',
    scope: 'conversations:read',
    path: IdPath,
    reply: Authority,
    fails: ['not_found'],
    run: (ctx, { path }) => authority.runAuthority(ctx, path.id),
  }),
  operation({
    name: 'tasks.authority',
    route: 'GET /tasks/:id/authority',
    summary: 'The authority of a task: the chain from its starter, and the credentials it received',
    scope: 'apps:read',
    path: IdPath,
    reply: Authority,
    fails: ['not_found'],
    run: (ctx, { path }) => authority.taskAuthority(ctx, path.id),
  }),
  operation({
    name: 'flow_runs.authority',
    route: ['GET /flowruns/:id/authority', 'GET /flow-runs/:id/authority'],
    summary: 'The authority of a flow run: who started it, with which scopes, and what its tasks received',
    scope: 'flows:read',
    path: IdPath,
    reply: Authority,
    fails: ['not_found'],
    run: (ctx, { path }) => authority.flowRunAuthority(ctx, path.id),
  }),
]
