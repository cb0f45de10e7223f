// Operations on live sockets. The relay opens the socket itself, by a token.
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import { LiveSocket } from '@millrace/contract/sockets'
import { SocketAccess } from '@millrace/contract/tasks'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import * as sockets from './service.ts'

export const socketOperations = [
  operation({
    name: 'sockets.list',
    route: ['GET /sockets', 'POST /sockets/list'],
    summary: 'List live sockets',
    scope: 'apps:read',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(LiveSocket)),
    run: (ctx, { body }) => sockets.list(ctx, body),
  }),
  operation({
    name: 'sockets.get',
    route: 'GET /sockets/:id',
    summary: 'Get a live socket',
    scope: 'apps:read',
    path: IdPath,
    reply: LiveSocket,
    fails: ['not_found'],
    run: (ctx, { path }) => sockets.get(ctx, path.id),
  }),
  operation({
    name: 'sockets.access',
    route: 'POST /sockets/:id/access',
    summary: 'Get a new token for the caller’s end',
    scope: 'apps:execute',
    replay: 'never',
    path: IdPath,
    reply: SocketAccess,
    fails: ['not_found', 'invalid_state'],
    run: (ctx, { path }) => sockets.access(ctx, path.id),
  }),
  operation({
    name: 'sockets.delete',
    route: 'DELETE /sockets/:id',
    summary: 'Delete a closed socket',
    scope: 'apps:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found', 'invalid_state'],
    run: (ctx, { path }) => sockets.remove(ctx, path.id),
  }),
]
