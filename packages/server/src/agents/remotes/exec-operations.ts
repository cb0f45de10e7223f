// Operations on commands of remotes.
import { IdPath, ListRequest, PageOf } from '@millrace/contract/common'
import {
  ExecBody,
  ExecChunk,
  ExecInput,
  ExecOutputQuery,
  ExecResize,
  ExecRun,
  SignalReply,
} from '@millrace/contract/remotes'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { readOutput } from './exec-output.ts'
import * as execs from './execs.ts'

export const execOperations = [
  operation({
    name: 'execs.start',
    door: 'POST /remotes/:id/execs',
    summary: 'Run a command on a remote; read its output separately',
    scope: 'remotes:write',
    path: IdPath,
    body: ExecBody,
    reply: ExecRun,
    fails: ['not_found', 'invalid_request', 'validation_error', 'exec_disabled', 'remote_offline', 'invalid_state'],
    run: (ctx, { path, body }) => execs.start(ctx, path.id, body),
  }),
  operation({
    name: 'execs.list',
    door: ['GET /execs', 'POST /execs/list'],
    summary: 'Commands that you started, or that ran on your remotes',
    scope: 'remotes:read',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(ExecRun)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => execs.list(ctx, body),
  }),
  operation({
    name: 'execs.get',
    door: 'GET /execs/:id',
    summary: 'One command',
    scope: 'remotes:read',
    path: IdPath,
    reply: ExecRun,
    fails: ['not_found'],
    run: (ctx, { path }) => execs.get(ctx, path.id),
  }),
  operation({
    name: 'execs.output',
    door: 'GET /execs/:id/output',
    summary: 'Output of a command after a chunk, in order; at most 2000 chunks',
    scope: 'remotes:read',
    path: IdPath,
    query: ExecOutputQuery,
    reply: Type.Array(ExecChunk),
    fails: ['not_found', 'validation_error'],
    run: (ctx, { path, query }) => readOutput(ctx, path.id, query),
  }),
  operation({
    name: 'execs.signal',
    door: 'POST /execs/:id/signal',
    summary: 'Kill a command; no effect if it has ended',
    scope: 'remotes:write',
    path: IdPath,
    reply: SignalReply,
    fails: ['not_found'],
    run: (ctx, { path }) => execs.signal(ctx, path.id),
  }),
  operation({
    name: 'execs.input',
    door: 'POST /execs/:id/input',
    summary: 'Write to the standard input or terminal of a command',
    scope: 'remotes:write',
    path: IdPath,
    body: ExecInput,
    reply: SignalReply,
    fails: ['not_found', 'validation_error', 'invalid_state'],
    run: (ctx, { path, body }) => execs.input(ctx, path.id, body),
  }),
  operation({
    name: 'execs.resize',
    door: 'POST /execs/:id/resize',
    summary: 'Resize the terminal of a command',
    scope: 'remotes:write',
    path: IdPath,
    body: ExecResize,
    reply: SignalReply,
    fails: ['not_found', 'validation_error', 'invalid_state'],
    run: (ctx, { path, body }) => execs.resize(ctx, path.id, body),
  }),
]
