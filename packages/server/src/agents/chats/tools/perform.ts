// Executes an allowed call by the type of its tool. Database work happens in the transaction of the step; requests are
// left to an errand that starts after the commit.
import { newId } from '@millrace/contract/ids'
import { isRecord } from '@millrace/contract/json'
import type { Scope } from '@millrace/contract/scopes'
import { startRuns } from '#execution/runs/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { scopeRefusal } from '#platform/core/scope-checks.ts'
import { findRunnable, type RunnableAgent } from '../../agents/service.ts'
import { contextFor } from '../context.ts'
import { agentDataOf } from '../dto.ts'
import { interruptCall } from '../interrupts/call-interrupts.ts'
import type { LoopEvent } from '../loop/decide.ts'
import { addErrand, changeCall, changeChat, ofCall, runOf, type Scene } from '../runs/scene.ts'
import { insideCall } from '../runs/spans.ts'
import type * as store from '../store.ts'
import { builtInTool } from './kinds.ts'
import { readSkill } from './load-skill.ts'
import { appRequest, type OfferedTool } from './offered.ts'
import { isOperationTool } from './operation-tools.ts'
import { runInternal } from './run-internal.ts'

export type ChildRun = { callId: string; message: string; found: RunnableAgent; context: Record<string, string> }

type NamedChild = { message: string; agentText: string; versionPin: string | null }

/** Passed in by the driver, the only place that starts runs. */
export type CallContext = {
  tools: ReadonlyMap<string, OfferedTool>
  startChild(ctx: Ctx<Actor>, scene: Scene, child: ChildRun): Promise<string>
}

const ended = (callId: string, status: 'completed' | 'failed', result: string): LoopEvent[] => [
  { type: 'call_ended', callId, ended: { status, result } },
]

const refusal = (callId: string, failure: Failure): LoopEvent[] => ended(callId, 'failed', failure.message)

/** The scope that the run needs for a type of tool. */
const scopeOf: Partial<Record<OfferedTool['type'], Scope>> = {
  app: 'apps:execute',
  agent: 'agents:execute',
  mcp: 'agents:execute',
}

const scopeOfOperation: Readonly<Record<string, Scope>> = {
  agent_spawn: 'agents:execute',
  remote_list: 'remotes:read',
  remote_exec: 'remotes:write',
}

/** The scope that the run lacks for a tool; undefined if it may use the tool. */
export const missingScope = (actor: Member, tool: OfferedTool): string | undefined => {
  const scope = scopeOfOperation[tool.operation] ?? scopeOf[tool.type]
  const refused = scope && scopeRefusal(actor, scope)
  return refused?.detail
}

type Arguments = Record<string, unknown>

const performApp = async (
  ctx: Ctx<Member>,
  scene: Scene,
  call: store.CallRow,
  tool: OfferedTool,
): Promise<LoopEvent[]> => {
  const app = tool.tool?.app
  if (!app) return ended(call.id, 'failed', 'The tool has no app')
  const { session, ...given } = call.arguments as Arguments
  const wantsSession = app.session_enabled === true && typeof session === 'string' && session !== ''
  const taskId = newId()
  const input = {
    ...(isRecord(app.input) ? app.input : {}),
    ...(app.session_enabled ? given : (call.arguments as Arguments)),
  }
  const request = {
    ...appRequest(app),
    ...(isRecord(app.setup) && Object.keys(app.setup).length > 0 && { setup: app.setup }),
    ...(wantsSession && { session }),
  }
  const origin = {
    id: taskId,
    chat_id: scene.chat.id,
    agent_version_id: scene.version.id,
    visibility: scene.chat.visibility,
    traceparent: insideCall(ctx.tracing, runOf(scene), call.id),
    ...(scene.chat.agent_id !== null && { agent_id: scene.chat.agent_id }),
  }
  // Recorded before the task exists: the task of a flow may finish before this returns.
  changeCall(scene, call.id, { execution_id: taskId })
  const [started] = await startRuns(ctx, request, [{ input, origin }])
  if (!isFailure(started)) return []
  const missing = missingConnection(started)
  if (missing) return requestConnection(ctx, scene, call, missing)
  changeCall(scene, call.id, { execution_id: null })
  return refusal(call.id, started)
}

type Missing = { provider: string; scopes: readonly string[]; action: unknown; message: string }

/** A missing connection can be created by a person; a missing secret is reported to the model. */
const missingConnection = (failure: Failure): Missing | undefined => {
  if (failure.code !== 'requirements_not_met') return undefined
  const errors = (failure.options.extra?.errors ?? []) as {
    type: string
    key: string
    message: string
    action?: { provider?: string; scopes?: string[] }
  }[]
  if (errors.some(({ type }) => type === 'secret')) return undefined
  const [first] = errors
  if (!first) return undefined
  const { action, key, message } = first
  return { provider: action?.provider ?? key, scopes: action?.scopes ?? [], action, message }
}

/** The run waits for the connection and then retries the call. */
export const requestConnection = (
  ctx: Ctx<Actor>,
  scene: Scene,
  call: store.CallRow,
  missing: Missing,
): LoopEvent[] => {
  changeCall(scene, call.id, { status: 'awaiting_input', execution_id: null })
  interruptCall(ctx, scene, call, {
    reason: 'auth',
    meta: {
      provider: missing.provider,
      scopes: missing.scopes,
      action: missing.action ?? null,
      message: missing.message,
    },
  })
  return []
}

/** Maximum depth of nested agents. */
export const depthLimit = 5

/** The agent to call, with the variables of its chat: its own defaults, overridden by those of this chat. */
const findChild = async (ctx: Ctx<Member>, { chat }: Scene, agentText: string, versionPin: string | null) => {
  const found = await findRunnable(ctx, agentText, versionPin)
  return { found, context: contextFor(found.version.config.context, chat.context as Record<string, string>) }
}

const performAgent = async (
  ctx: Ctx<Member>,
  scene: Scene,
  call: store.CallRow,
  { agentText, versionPin, message }: NamedChild,
  { startChild }: CallContext,
): Promise<LoopEvent[]> => {
  if (scene.chat.depth >= depthLimit)
    return ended(call.id, 'failed', `depth_limit: agents can be nested at most ${depthLimit} levels deep`)
  const child = await findChild(ctx, scene, agentText, versionPin).catch(refusalOnly)
  if (isFailure(child)) return refusal(call.id, child)
  const runId = await startChild(ctx, scene, { callId: call.id, message, ...child })
  const current = scene.calls.get(call.id)
  // A child that finished at once has already delivered its result.
  if (current) changeCall(scene, call.id, { execution_id: runId })
  return []
}

const awaitInput = (
  ctx: Ctx<Actor>,
  scene: Scene,
  call: store.CallRow,
  reason: 'client_tool' | 'widget',
): LoopEvent[] => {
  changeCall(scene, call.id, { status: 'awaiting_input' })
  interruptCall(ctx, scene, call, { reason })
  return []
}

const hostOf = (ctx: Ctx<Actor>, { chat }: Scene) => ({
  now: ctx.now().toISOString(),
  team_id: chat.team_id,
  user_id: chat.user_id,
  chat_id: chat.id,
  agent_id: chat.agent_id,
  context: chat.context,
})

const performInternal = async (
  ctx: Ctx<Member>,
  scene: Scene,
  call: store.CallRow,
  tool: OfferedTool,
  performing: CallContext,
): Promise<LoopEvent[]> => {
  const given = call.arguments as Arguments
  if (tool.operation === 'agent_spawn')
    return performAgent(
      ctx,
      scene,
      call,
      { agentText: String(given.agent), message: String(given.message), versionPin: null },
      performing,
    )
  if (tool.operation === 'skill_list' || tool.operation === 'skill_load') {
    const read = readSkill(scene.version.config.skills, tool.operation, String(given.name ?? ''))
    if (read) return ended(call.id, read.status, read.result)
    addErrand(ctx, scene, 'tool', call.id)
    return []
  }
  if (isOperationTool(tool.operation) || builtInTool(ctx, tool.operation)) {
    addErrand(ctx, scene, 'tool', call.id)
    return []
  }
  const outcome = runInternal({
    operation: tool.operation,
    arguments: given,
    agentData: agentDataOf(scene.chat),
    tools: performing.tools,
    outputSchema: scene.version.config.output_schema,
    host: () => hostOf(ctx, scene),
  })
  if (!outcome) return ended(call.id, 'failed', `This server does not have the tool ${tool.operation}`)
  if (outcome.agentData) changeChat(scene, { agent_data: outcome.agentData })
  if (outcome.output) changeChat(scene, { output: outcome.output.value })
  changeCall(scene, call.id, {
    ...(outcome.data !== undefined && { data: outcome.data }),
    ...(outcome.widget !== undefined && { widget: outcome.widget }),
  })
  if (outcome.status === 'awaiting_input') return awaitInput(ctx, scene, call, 'widget')
  return ended(call.id, outcome.status, outcome.result ?? '')
}

/** Failures of a call become its result, so that the model can react; only unexpected errors throw. */
export const perform = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  callId: string,
  performing: CallContext,
): Promise<LoopEvent[]> => {
  const call = scene.calls.get(callId)
  const tool = call && performing.tools.get(call.name)
  if (!call || !tool) return ended(callId, 'failed', 'The tool no longer exists')
  const member = ctx.as(runActor(runOf(scene)))
  const missing = missingScope(member.actor, tool)
  if (missing !== undefined) return ended(callId, 'failed', `The run lacks the scope for this tool: ${missing}`)
  scene.agentEvents.push({
    type: 'tool.started',
    payload: {
      ...ofCall(call),
      tool_type: tool.type,
      ...(tool.displayName !== '' && { display_name: tool.displayName }),
      arguments: call.arguments,
    },
  })
  switch (tool.type) {
    case 'app':
      return performApp(member, scene, call, tool)
    case 'agent': {
      const { agent } = tool.tool ?? {}
      const message = String((call.arguments as Arguments).message)
      const child = { agentText: agent?.ref || agent?.id || '', message, versionPin: agent?.version_id ?? null }
      return performAgent(member, scene, call, child, performing)
    }
    case 'client':
      return awaitInput(ctx, scene, call, 'client_tool')
    case 'internal':
      return performInternal(member, scene, call, tool, performing)
    case 'http':
    case 'call':
    case 'hook':
    case 'mcp':
      addErrand(ctx, scene, 'tool', call.id)
      return []
  }
}
