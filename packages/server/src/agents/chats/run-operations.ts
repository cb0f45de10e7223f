// Operations on runs, interrupts and tool calls. The rules are in the imported files.
import {
  AlwaysAllow,
  AlwaysAllowOptions,
  AlwaysAllowReply,
  AnswerTool,
  ChatToolPath,
  Explanation,
  RejectTool,
  ResolveInterrupt,
} from '@millrace/contract/chat-answers'
import { AgentRun, Interrupt, ToolInvocation } from '@millrace/contract/chats'
import { IdPath } from '@millrace/contract/common'
import Type from 'typebox'
import type { EventStream } from '#platform/core/event-stream.ts'
import { operation } from '#platform/core/operation.ts'
import { lastEventIdOf } from '#platform/http/streams.ts'
import { alwaysAllow, alwaysAllowOptions } from './interrupts/always-allow.ts'
import * as answers from './interrupts/answers.ts'
import { explain, explainPlainly } from './interrupts/explain.ts'
import { resolveInterrupt } from './interrupts/interrupts.ts'
import * as reads from './reads.ts'
import * as streams from './streams/stream.ts'

const StreamQuery = Type.Object({ last_event_id: Type.Optional(Type.String({ maxLength: 20 })) })
const TokenQuery = Type.Object({ token: Type.Optional(Type.String({ maxLength: 128 })) })
const changeFails = ['not_found', 'forbidden', 'chat_archived'] as const

export const runOperations = [
  operation({
    name: 'agent_runs.get',
    route: 'GET /agent-runs/:id',
    summary: 'One run of an agent',
    scope: 'conversations:read',
    publicRows: true,
    path: IdPath,
    reply: AgentRun,
    fails: ['not_found'],
    run: (ctx, { path }) => reads.getRun(ctx, path.id),
  }),
  operation({
    name: 'agent_runs.stream',
    route: 'GET /agent-runs/:id/stream',
    summary: 'Stream a run and its events until it is over',
    scope: 'conversations:read',
    checkedScopes: ['agents:read'],
    publicRows: true,
    stream: true,
    path: IdPath,
    query: StreamQuery,
    reply: Type.Unsafe<EventStream>(AgentRun),
    fails: ['not_found'],
    run: (ctx, { path, query }, { headers }) =>
      streams.streamRun(ctx, path.id, lastEventIdOf(headers, query.last_event_id)),
  }),
  operation({
    name: 'agent_runs.interrupts',
    route: 'GET /agent-runs/:id/interrupts',
    summary: 'Interrupts of a run',
    scope: 'conversations:read',
    publicRows: true,
    path: IdPath,
    reply: Type.Array(Interrupt),
    fails: ['not_found'],
    run: (ctx, { path }) => reads.runInterrupts(ctx, path.id),
  }),
  operation({
    name: 'interrupts.get',
    route: 'GET /interrupts/:id',
    summary: 'One interrupt',
    scope: 'conversations:read',
    publicRows: true,
    path: IdPath,
    reply: Interrupt,
    fails: ['not_found'],
    run: (ctx, { path }) => reads.getInterrupt(ctx, path.id),
  }),
  operation({
    name: 'interrupts.resolve',
    route: 'POST /interrupts/:id/resolve',
    summary: 'Allow or deny an interrupt',
    scope: 'approvals:write',
    checkedScopes: ['remotes:write'],
    path: IdPath,
    body: ResolveInterrupt,
    reply: Interrupt,
    fails: [...changeFails, 'validation_error', 'interrupt_not_pending'],
    run: (ctx, { path, body }) => resolveInterrupt(ctx, path.id, body),
  }),
  operation({
    name: 'tools.answer',
    route: 'POST /tools/:id',
    summary: 'Submit the result of a client or webhook tool, or the answer to a form',
    scope: 'optional',
    checkedScopes: ['agents:execute', 'approvals:write', 'conversations:write', 'remotes:write'],
    path: IdPath,
    query: TokenQuery,
    body: AnswerTool,
    reply: ToolInvocation,
    fails: [
      ...changeFails,
      ...(['unauthorized', 'insufficient_scope', 'requires_sign_in', 'validation_error', 'tool_not_pending'] as const),
    ],
    run: (ctx, { path, query, body }) => answers.answerTool(ctx, path.id, body, query.token),
  }),
  operation({
    name: 'tools.invoke',
    route: 'POST /tools/:id/invoke',
    summary: 'Approve a tool call',
    scope: 'approvals:write',
    checkedScopes: ['remotes:write'],
    path: IdPath,
    reply: ToolInvocation,
    fails: [...changeFails, 'tool_not_pending'],
    run: (ctx, { path }) => answers.invokeTool(ctx, path.id),
  }),
  operation({
    name: 'tools.reject',
    route: 'POST /tools/:id/reject',
    summary: 'Reject a tool call; the model receives the reason',
    scope: 'approvals:write',
    checkedScopes: ['remotes:write'],
    path: IdPath,
    body: RejectTool,
    reply: ToolInvocation,
    fails: [...changeFails, 'tool_not_pending'],
    run: (ctx, { path, body }) => answers.rejectTool(ctx, path.id, body.reason),
  }),
  operation({
    name: 'tools.always_allow_options',
    route: 'GET /chats/:chatId/tools/:id/always-allow/options',
    summary: 'Always-allow options for a call, from the narrowest to the widest',
    scope: 'conversations:read',
    path: ChatToolPath,
    reply: AlwaysAllowOptions,
    fails: ['not_found'],
    run: (ctx, { path }) => alwaysAllowOptions(ctx, path.chatId, path.id),
  }),
  operation({
    name: 'tools.always_allow',
    route: 'POST /chats/:chatId/tools/:id/always-allow',
    summary: 'Approve a call and always allow similar calls',
    scope: 'approvals:write',
    checkedScopes: ['remotes:write'],
    path: ChatToolPath,
    body: AlwaysAllow,
    reply: AlwaysAllowReply,
    fails: [...changeFails, 'tool_not_pending', 'option_stale', 'not_always_allowable'],
    run: (ctx, { path, body }) => alwaysAllow(ctx, path.chatId, path.id, body),
  }),
  operation({
    name: 'tools.explain',
    route: 'POST /chats/:chatId/tools/:id/explain',
    summary: 'Explain what a call would do',
    scope: 'conversations:read',
    path: ChatToolPath,
    reply: Explanation,
    fails: ['not_found'],
    run: (ctx, { path }) => explainPlainly(ctx, path.chatId, path.id),
    follow: (ctx, plain, { path }) => explain(ctx, plain, path.chatId, path.id),
  }),
]
