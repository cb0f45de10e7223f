// Handlers of lifecycle events. A handler that the run waits for is a row; the run advances when all rows of an event
// are answered. Gates ask people, webhooks are errands, apps are tasks.
import type { HookEventName, LifecycleHook } from '@millrace/contract/agents'
import type { ContentItem } from '@millrace/contract/chats'
import { newId } from '@millrace/contract/ids'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { scheduleExpiry } from '#automation/triggers/service.ts'
import { startRuns } from '#execution/runs/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { wireTime } from '#platform/core/times.ts'
import { findRunnable } from '../../agents/service.ts'
import { agentDataOf } from '../dto.ts'
import type { CallEnd, LoopEvent } from '../loop/decide.ts'
import {
  allowed,
  combine,
  type HandlerAnswer,
  type Injection,
  readHandlerAnswer,
  withInjections,
} from '../loop/hook-answer.ts'
import { addErrand, addInterrupt, causeOf, changeRun, putHookCall, runOf, type Scene } from '../runs/scene.ts'
import { insideRun } from '../runs/spans.ts'
import type * as store from '../store.ts'

export const gateTimeoutSeconds = 300
const resolutionOf = ({ default_resolution }: LifecycleHook): 'allow' | 'deny' => default_resolution || 'allow'

export type FiredHookEvent = {
  event: HookEventName
  callId?: string | undefined
  data?: Record<string, unknown> | undefined
  ended?: CallEnd | undefined
}

/** Data of a hook call besides its columns. */
type HookData = { payload: Record<string, unknown>; ended?: CallEnd; answer?: HandlerAnswer }

export const hookData = (row: store.HookCallRow): HookData => row.data as HookData

const textOf = (scene: Scene): string => {
  const message = scene.messages.get(runOf(scene).user_message_id ?? '')
  const content = (message?.content ?? []) as ContentItem[]
  return content.map(({ text = '' }) => text).join('\n')
}

const hookEventData = (scene: Scene, { event, callId, data, ended }: FiredHookEvent): Record<string, unknown> => {
  const call = callId === undefined ? undefined : scene.calls.get(callId)
  if (event === 'agent.start') return { text: textOf(scene) }
  if (event === 'agent.tool_call') return { tool: call?.name, arguments: call?.arguments }
  if (event === 'agent.tool_result') return { tool: call?.name, status: ended?.status, result: ended?.result ?? '' }
  return data ?? {}
}

const payloadOf = (ctx: Ctx<Actor>, scene: Scene, fired: FiredHookEvent) => ({
  event: fired.event,
  timestamp: wireTime(ctx.now()),
  agent_id: scene.chat.agent_id ?? '',
  chat_id: scene.chat.id,
  run_id: runOf(scene).id,
  turn_count: runOf(scene).turn,
  data: hookEventData(scene, fired),
})

const hooksOf = (scene: Scene, event: HookEventName): [number, LifecycleHook][] => {
  if (agentDataOf(scene.chat).disable_hooks) return []
  return [...scene.version.config.hooks.entries()].filter(([, hook]) => hook.event === event)
}

/** Starts the handlers of an event. Returns nothing if the run has to wait for one of them. */
export const fireHooks = async (ctx: Ctx<Actor>, scene: Scene, fired: FiredHookEvent): Promise<LoopEvent[]> => {
  const hooks = hooksOf(scene, fired.event)
  const { event, callId, ended } = fired
  const goOn: LoopEvent = {
    type: 'hooks_answered',
    event,
    answer: { decision: 'allow' },
    ...(callId !== undefined && { callId }),
    ...(ended && { ended }),
  }
  let isWaitedFor = false
  for (const [position, hook] of hooks) {
    const row = newHookCall(ctx, scene, fired, position, hook.async !== true)
    if (await begin(ctx, scene, hook, row)) isWaitedFor ||= row.is_waited_for
  }
  return isWaitedFor ? [] : [goOn]
}

/** Fires handlers without waiting for their answers. */
export const notifyHooks = async (ctx: Ctx<Actor>, scene: Scene, fired: FiredHookEvent): Promise<void> => {
  for (const [position, hook] of hooksOf(scene, fired.event))
    await begin(ctx, scene, hook, newHookCall(ctx, scene, fired, position, false))
}

const newHookCall = (
  ctx: Ctx<Actor>,
  scene: Scene,
  fired: FiredHookEvent,
  position: number,
  isWaitedFor: boolean,
): store.HookCallRow => ({
  id: newId(),
  team_id: scene.chat.team_id,
  run_id: runOf(scene).id,
  chat_id: scene.chat.id,
  event: fired.event,
  position,
  tool_invocation_id: fired.callId ?? null,
  status: 'pending',
  is_waited_for: isWaitedFor,
  data: { payload: payloadOf(ctx, scene, fired), ...(fired.ended && { ended: fired.ended }) },
  execution_id: null,
  created_at: wireTime(ctx.now()),
})

const emitExecuted = (scene: Scene, event: string, { decision, reason }: HandlerAnswer, durationMs?: number): void => {
  scene.agentEvents.push({
    type: 'hook.executed',
    payload: {
      hook_event: event,
      decision,
      ...(reason !== undefined && { reason }),
      ...(durationMs !== undefined && { duration_ms: durationMs }),
    },
  })
}

/** False if the handler could not be started, which counts as "allow". */
const begin = async (ctx: Ctx<Actor>, scene: Scene, hook: LifecycleHook, row: store.HookCallRow): Promise<boolean> => {
  // A handler that is not awaited cannot decide, so it is reported as soon as it starts.
  if (!row.is_waited_for) emitExecuted(scene, row.event, allowed)
  if (hook.type === 'webhook') {
    putHookCall(scene, row)
    addErrand(ctx, scene, 'hook', row.id)
    return true
  }
  if (hook.type === 'gate') {
    putHookCall(scene, row)
    await openGate(ctx, scene, row, hook)
    return true
  }
  return beginTask(ctx, scene, hook, row)
}

/** True if the handler is an agent; does not run it. */
const isAgent = async (ctx: Ctx<Member>, handler: string): Promise<boolean> =>
  findRunnable(ctx, handler).then(
    () => true,
    (error: unknown) => {
      if (isFailure(error)) return false
      throw error
    },
  )

const beginTask = async (ctx: Ctx<Actor>, scene: Scene, hook: LifecycleHook, row: store.HookCallRow) => {
  const taskId = newId()
  if (await isAgent(ctx.as(runActor(runOf(scene))), hook.handler ?? '')) {
    // The agent's chat is started after this step is written.
    putHookCall(scene, row)
    addErrand(ctx, scene, 'hook', row.id)
    return true
  }
  const traceparent = insideRun(ctx.tracing, runOf(scene))
  const { id: chat_id, visibility } = scene.chat
  const origin = { id: taskId, chat_id, visibility, traceparent, began: causeOf(scene) }
  const run = { input: hookData(row).payload, origin }
  const [started] = await startRuns(ctx.as(runActor(runOf(scene))), { app: hook.handler }, [run])
  if (isFailure(started)) {
    ctx.log.warn({ chat: scene.chat.id, event: row.event, detail: started.message }, 'a hook could not be run')
    return false
  }
  // A handler that is not awaited is an ordinary task.
  if (row.is_waited_for) putHookCall(scene, { ...row, execution_id: taskId })
  return true
}

const openGate = async (ctx: Ctx<Actor>, scene: Scene, row: store.HookCallRow, hook: LifecycleHook): Promise<void> => {
  const seconds = hook.timeout || gateTimeoutSeconds
  const expiresAt = new Date(ctx.now().getTime() + seconds * 1000)
  const { event, data } = hookData(row).payload
  const interrupt = addInterrupt(ctx, scene, {
    reason: 'hook_gate',
    source: row.event,
    resource_id: row.id,
    resource_type: 'hook_event',
    expires_at: wireTime(expiresAt),
    meta: { event, data },
  })
  await scheduleExpiry(ctx, {
    interruptId: interrupt.id,
    teamId: scene.chat.team_id,
    userId: runOf(scene).user_id,
    at: expiresAt,
    resolution: resolutionOf(hook),
    runAs: runOf(scene).run_as,
  })
}

/** Stores the answer of a handler. The run advances after the last answer for the event. */
export const applyHandlerAnswer = (
  ctx: Ctx<Actor>,
  scene: Scene,
  hookCallId: string,
  given: HandlerAnswer,
): LoopEvent[] => {
  const row = scene.hookCalls.get(hookCallId)
  if (row?.status !== 'pending') return []
  if (!row.is_waited_for) {
    scene.settledHooks.push(row.id)
    scene.hookCalls.delete(row.id)
    return []
  }
  emitExecuted(scene, row.event, given, Math.max(0, ctx.now().getTime() - Date.parse(row.created_at)))
  if (given.decision === 'suspend') return suspend(ctx, scene, row, given)
  putHookCall(scene, { ...row, status: 'answered', data: { ...hookData(row), answer: given } })
  return closeHookEvent(scene, row)
}

/** The handler asks for a person's decision. Its other changes apply once the person allows the call. */
const suspend = (ctx: Ctx<Actor>, scene: Scene, row: store.HookCallRow, given: HandlerAnswer): LoopEvent[] => {
  const hasGate = hooksOf(scene, row.event as HookEventName).some(([, hook]) => hook.type === 'gate')
  putHookCall(scene, { ...row, data: { ...hookData(row), answer: { ...given, decision: 'allow' } } })
  addInterrupt(ctx, scene, {
    reason: hasGate ? 'hook_gate' : 'confirmation',
    source: row.event,
    resource_id: row.id,
    resource_type: 'hook_event',
    meta: {
      event: row.event,
      data: hookData(row).payload.data,
      ...(given.reason !== undefined && { reason: given.reason }),
    },
  })
  return []
}

const closeHookEvent = (scene: Scene, row: store.HookCallRow): LoopEvent[] => {
  const fired = [...scene.hookCalls.values()].filter(
    (one) => one.event === row.event && one.tool_invocation_id === row.tool_invocation_id && one.is_waited_for,
  )
  if (fired.some(({ status }) => status === 'pending')) return []
  const answers = fired.sort((a, b) => a.position - b.position).map((one) => hookData(one).answer ?? allowed)
  for (const { id } of fired) {
    scene.hookCalls.delete(id)
    scene.touched.hookCalls.delete(id)
    scene.settledHooks.push(id)
  }
  changeRun(scene, { injections: withInjections(runOf(scene).injections as Injection[], answers) })
  const { ended } = hookData(row)
  return [
    {
      type: 'hooks_answered',
      event: row.event as HookEventName,
      answer: combine(answers),
      ...(row.tool_invocation_id !== null && { callId: row.tool_invocation_id }),
      ...(ended && { ended }),
    },
  ]
}

/** A person or a timeout decided a gate. */
export const answerGate = (
  ctx: Ctx<Actor>,
  scene: Scene,
  hookCallId: string,
  resolution: 'allow' | 'deny',
): LoopEvent[] => {
  const row = scene.hookCalls.get(hookCallId)
  const handlerAnswer = row && hookData(row).answer
  const answer: HandlerAnswer =
    resolution === 'deny' ? { decision: 'deny', reason: 'denied' } : (handlerAnswer ?? allowed)
  return applyHandlerAnswer(ctx, scene, hookCallId, answer)
}

/** The answer of an agent handler: its result, or the JSON that it wrote. */
export const answerOfAgent = (result: unknown, hasFailed: boolean): HandlerAnswer => {
  if (hasFailed) return allowed
  if (typeof result !== 'string') return readHandlerAnswer(result)
  try {
    return readHandlerAnswer(parseUntrustedJson(result.slice(result.indexOf('{'), result.lastIndexOf('}') + 1)))
  } catch {
    return allowed
  }
}

/** The answer of an app handler: the output of its task. */
export const answerOfTask = (output: unknown, hasFailed: boolean): HandlerAnswer =>
  hasFailed ? allowed : readHandlerAnswer(output)
