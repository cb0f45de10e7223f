// The doors of remotes. The rules are in the files they name; commands have doors of their own.
import { Rule, RuleInput, RulePath } from '@millrace/contract/agents'
import { Chat } from '@millrace/contract/chats'
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import { Harness, harnesses } from '@millrace/contract/harnesses'
import {
  HarnessSession,
  HeartbeatBody,
  HeartbeatReply,
  LaunchBody,
  RegisterRemote,
  Remote,
  SessionsQuery,
  UpdateRemote,
} from '@millrace/contract/remotes'
import Type from 'typebox'
import { operation } from '../core/operation.ts'
import * as changes from './changes.ts'
import { launch } from './launch.ts'
import * as lookup from './lookup.ts'
import { heartbeat } from './presence.ts'
import { register } from './register.ts'
import { listSessions } from './sessions.ts'

export const remoteOperations = [
  operation({
    name: 'remotes.register',
    door: 'POST /remotes',
    summary: 'Register a machine by its public key; the same key is the same remote',
    scope: 'remotes:write',
    body: RegisterRemote,
    reply: Remote,
    fails: ['validation_error'],
    run: (ctx, { body }) => register(ctx, body),
  }),
  operation({
    name: 'remotes.list',
    door: ['GET /remotes', 'POST /remotes/list'],
    summary: 'Your remotes',
    scope: 'remotes:read',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(Remote)),
    fails: ['validation_error', 'invalid_request'],
    run: (ctx, { body }) => lookup.list(ctx, body),
  }),
  operation({
    name: 'remotes.harnesses',
    door: 'GET /harnesses',
    summary: 'Coding agents that a remote can host',
    scope: 'public',
    reply: Type.Array(Harness),
    run: () => Object.values(harnesses),
  }),
  operation({
    name: 'remotes.get',
    door: 'GET /remotes/:id',
    summary: 'One remote with its profiles',
    scope: 'remotes:read',
    path: IdPath,
    reply: Remote,
    fails: ['not_found'],
    run: (ctx, { path }) => lookup.get(ctx, path.id),
  }),
  operation({
    name: 'remotes.update',
    door: 'POST /remotes/:id',
    summary: 'Write every mutable field; what the body leaves out is emptied',
    scope: 'remotes:write',
    path: IdPath,
    body: UpdateRemote,
    reply: Remote,
    fails: ['not_found', 'validation_error', 'conflict'],
    run: (ctx, { path, body }) => changes.update(ctx, path.id, body),
  }),
  operation({
    name: 'remotes.delete',
    door: 'DELETE /remotes/:id',
    summary: 'Delete a remote and cut its connection; its exec runs stay readable',
    scope: 'remotes:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found'],
    run: (ctx, { path }) => changes.remove(ctx, path.id),
  }),
  operation({
    name: 'remotes.heartbeat',
    door: 'POST /remotes/:id/heartbeat',
    summary: 'Say that the remote is there',
    scope: 'remotes:write',
    replay: 'never',
    path: IdPath,
    body: HeartbeatBody,
    reply: HeartbeatReply,
    bare: true,
    fails: ['not_found'],
    run: (ctx, { path }) => heartbeat(ctx, path.id),
  }),
  operation({
    name: 'remotes.launch',
    door: 'POST /remotes/:id/launch',
    summary: 'Begin a chat with a coding agent of the machine; needs agents:execute too',
    scope: 'remotes:write',
    path: IdPath,
    body: LaunchBody,
    reply: Chat,
    fails: [
      'not_found',
      'validation_error',
      'insufficient_scope',
      'agents_disabled',
      'remote_offline',
      'invalid_state',
    ],
    run: (ctx, { path, body }) => launch(ctx, path.id, body),
  }),
  operation({
    name: 'remotes.sessions',
    door: 'GET /remotes/:id/sessions',
    summary: 'Sessions of coding agents on the machine',
    scope: 'remotes:read',
    path: IdPath,
    query: SessionsQuery,
    reply: Type.Array(HarnessSession),
    fails: ['not_found', 'remote_offline'],
    run: (ctx, { path, query }) => listSessions(ctx, path.id, query.cwd),
  }),
  operation({
    name: 'remotes.rules',
    door: 'GET /remotes/:id/rules',
    summary: 'What agents may run on a remote without asking',
    scope: 'remotes:read',
    path: IdPath,
    reply: Type.Array(Rule),
    fails: ['not_found'],
    run: (ctx, { path }) => changes.rules(ctx, path.id),
  }),
  operation({
    name: 'remotes.add_rule',
    door: 'POST /remotes/:id/rules',
    summary: 'Add a rule; one that allows needs your own sign-in',
    scope: 'remotes:write',
    path: IdPath,
    body: RuleInput,
    reply: Rule,
    fails: ['not_found', 'validation_error', 'requires_sign_in'],
    run: (ctx, { path, body }) => changes.createRule(ctx, path.id, body),
  }),
  operation({
    name: 'remotes.delete_rule',
    door: 'DELETE /remotes/:id/rules/:ruleId',
    summary: 'Delete a rule; one that asks or denies needs your own sign-in',
    scope: 'remotes:write',
    path: RulePath,
    reply: Success,
    fails: ['not_found', 'requires_sign_in'],
    run: (ctx, { path }) => changes.deleteRule(ctx, path.id, path.ruleId),
  }),
]
