// Operations on app sessions.
import { IdPath, Success } from '@millrace/contract/common'
import { AppSession } from '@millrace/contract/tasks'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import * as sessions from './service.ts'

export const appSessionOperations = [
  operation({
    name: 'sessions.list',
    route: 'GET /sessions',
    summary: 'List the active app sessions of the workspace',
    scope: 'apps:read',
    reply: Type.Array(AppSession),
    run: (ctx) => sessions.listSessions(ctx),
  }),
  operation({
    name: 'sessions.get',
    route: 'GET /sessions/:id',
    summary: 'Get an app session',
    scope: 'apps:read',
    path: IdPath,
    reply: AppSession,
    fails: ['session_not_found'],
    run: (ctx, { path }) => sessions.getSession(ctx, path.id),
  }),
  operation({
    name: 'sessions.keepalive',
    route: 'POST /sessions/:id/keepalive',
    summary: 'Restart the idle time of a session',
    scope: 'apps:execute',
    path: IdPath,
    reply: AppSession,
    fails: ['session_not_found', 'session_expired', 'session_ended'],
    run: (ctx, { path }) => sessions.keepAlive(ctx, path.id),
  }),
  operation({
    name: 'sessions.end',
    route: 'DELETE /sessions/:id',
    summary: 'End a session and free its worker',
    scope: 'apps:execute',
    path: IdPath,
    reply: Success,
    fails: ['session_not_found'],
    run: (ctx, { path }) => sessions.endSession(ctx, path.id),
  }),
]
