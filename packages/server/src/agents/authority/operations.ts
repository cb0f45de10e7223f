// The doors of authority. The rules are in service.ts.
import { Authority } from '@millrace/contract/authority'
import { IdPath } from '@millrace/contract/common'
import { operation } from '#platform/core/operation.ts'
import * as authority from './service.ts'

export const authorityOperations = [
  operation({
    name: 'agent_runs.authority',
    door: 'GET /agent-runs/:id/authority',
    summary: 'Why a run could do what it did: who started it, with which scopes, and what allowed each call',
    scope: 'conversations:read',
    path: IdPath,
    reply: Authority,
    fails: ['not_found'],
    run: (ctx, { path }) => authority.runAuthority(ctx, path.id),
  }),
  operation({
    name: 'tasks.authority',
    door: 'GET /tasks/:id/authority',
    summary: 'Why a task could do what it did: everything between it and whoever started it, and what it was given',
    scope: 'apps:read',
    path: IdPath,
    reply: Authority,
    fails: ['not_found'],
    run: (ctx, { path }) => authority.taskAuthority(ctx, path.id),
  }),
  operation({
    name: 'flow_runs.authority',
    door: ['GET /flowruns/:id/authority', 'GET /flow-runs/:id/authority'],
    summary: 'Why a flow run could do what it did: who started it, with which scopes, and what its tasks were given',
    scope: 'flows:read',
    path: IdPath,
    reply: Authority,
    fails: ['not_found'],
    run: (ctx, { path }) => authority.flowRunAuthority(ctx, path.id),
  }),
]
