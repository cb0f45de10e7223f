// Advances a run. The pure loop decides the next actions, and this file executes them and writes everything in the
// transaction of the step. A chat's row is locked before anything in it changes. A child's chat is locked before its
// parent's, so changes from parent to child are left to a job.
import { type Grant, narrow } from '@millrace/contract/scopes'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perTransaction } from '#platform/core/per-transaction.ts'
import { newChatRow } from '../chat-row.ts'
import { agentDataOf } from '../dto.ts'
import { answerOfAgent, applyHandlerAnswer, fireHooks, notifyHooks } from '../hooks/hooks.ts'
import { interruptCall } from '../interrupts/call-interrupts.ts'
import { decideCall, type RuleSources, rulesOf, toolsOf } from '../interrupts/call-rules.ts'
import { type CallEnd, decide, type LoopCommand, type LoopEvent } from '../loop/decide.ts'
import { decideDriven } from '../loop/decide-driven.ts'
import * as store from '../store.ts'
import { type ChildRun, perform } from '../tools/perform.ts'
import { applyState, stateOf } from './loop-state.ts'
import { callModel, promptMachine } from './model.ts'
import { callEndOf, endRun, endTask, resultOf } from './run-end.ts'
import { type NewRun, newRunRow } from './run-row.ts'
import { saveScene } from './save-scene.ts'
import {
  changeCall,
  changeChat,
  changeMessage,
  newMessage,
  ofCall,
  openScene,
  queuedIn,
  runOf,
  type Scene,
  sceneOf,
} from './scene.ts'
import { insideCall, spanOfCall, spanOfRun } from './spans.ts'

export const settleRunJob = 'chats.settle_run'

/** Chats that are being advanced in a transaction, with events that arrived meanwhile: a child may finish at once. */
const drivenChats = perTransaction(() => new Map<string, LoopEvent[]>())

const settleCall = (ctx: Ctx<Actor>, scene: Scene, callId: string, ended: CallEnd, override: unknown): void => {
  const text =
    override === undefined ? ended.result : typeof override === 'string' ? override : JSON.stringify(override)
  changeCall(scene, callId, { status: ended.status, result: text ?? '' })
  const call = scene.calls.get(callId)
  if (!call) return
  const nowMs = ctx.now().getTime()
  if (ctx.tracing.isOn) ctx.tracing.record(spanOfCall(ctx.tracing, runOf(scene), call, nowMs))
  const duration_ms = Math.max(0, nowMs - Date.parse(call.created_at))
  const { status, result } = call
  scene.agentEvents.push({
    type: 'tool.completed',
    payload: { ...ofCall(call), status, ...(result !== null && { result }), duration_ms },
  })
}

const requestApproval = (ctx: Ctx<Actor>, scene: Scene, callId: string): void => {
  const call = scene.calls.get(callId)
  if (!call) return
  interruptCall(ctx, scene, call, { reason: 'tool_approval' })
}

const execute = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  command: LoopCommand,
  step: RuleSources,
): Promise<LoopEvent[]> => {
  switch (command.do) {
    case 'hooks':
      return fireHooks(ctx, scene, command)
    case 'notify':
      await notifyHooks(ctx, scene, command)
      return []
    case 'call_model':
      return scene.chat.remote_id === null ? callModel(ctx, scene) : promptMachine(ctx, scene)
    case 'judge':
      return decideCall(ctx, scene, command.callId, command.override, step)
    case 'ask':
      requestApproval(ctx, scene, command.callId)
      return []
    case 'perform':
      return perform(ctx, scene, command.callId, { tools: await step.tools(), startChild })
    case 'settle':
      settleCall(ctx, scene, command.callId, command.ended, command.override)
      return []
    case 'end':
      await endRun(ctx, scene, command.state, command.error)
      return []
  }
}

/**
 * Takes every step that follows from the events, and writes them. `continues`: queued messages start the next run even
 * after a stop.
 */
export const drive = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  happened: readonly LoopEvent[],
  { continues = false }: { continues?: boolean } = {},
): Promise<void> => {
  const chats = drivenChats(ctx)
  const queue: LoopEvent[] = [...happened]
  chats.set(scene.chat.id, queue)
  const decideNext = scene.chat.remote_id === null ? decide : decideDriven
  const step: RuleSources = { tools: toolsOf(ctx, scene), rules: rulesOf(ctx, scene) }
  try {
    for (let next = queue.shift(); next && scene.run; next = queue.shift()) {
      const { state, commands } = decideNext(stateOf(scene), next)
      applyState(scene, state)
      for (const command of commands) queue.push(...(await execute(ctx, scene, command, step)))
    }
  } finally {
    chats.delete(scene.chat.id)
  }
  const ended = scene.run !== null && scene.run.finished_at !== null ? scene.run : null
  await saveScene(ctx, scene)
  if (!ended) return
  await afterEnd(ctx, scene, ended)
  if (continues || ended.state !== 'canceled') await startQueued(ctx, scene)
}

/** Advances the chat's active run with the events. Does nothing if the run is over. */
export const resume = async (
  ctx: Ctx<Actor>,
  chatId: string,
  runId: string,
  react: (scene: Scene) => readonly LoopEvent[] | Promise<readonly LoopEvent[]>,
): Promise<Scene | undefined> => {
  const scene = await openScene(ctx, chatId)
  if (scene?.run?.id !== runId) return undefined
  await drive(ctx, scene, await react(scene))
  return scene
}

/** True while the transaction is advancing this chat. */
export const isAdvancing = (ctx: Ctx<Actor>, chatId: string): boolean => drivenChats(ctx).has(chatId)

/** Delivers the result of a call, also to a run that is being advanced in this transaction. */
export const deliverCallResult = async (
  ctx: Ctx<Actor>,
  call: { chatId: string; runId: string; id: string },
  ended: CallEnd,
): Promise<void> => {
  const happened: LoopEvent = { type: 'call_ended', callId: call.id, ended }
  const waiting = drivenChats(ctx).get(call.chatId)
  if (waiting) waiting.push(happened)
  else await resume(ctx, call.chatId, call.runId, () => [happened])
}

/** Effects of the end of a run on other runs, tasks and flows, once it is written. */
const afterEnd = async (ctx: Ctx<Actor>, scene: Scene, run: store.RunRow): Promise<void> => {
  if (ctx.tracing.isOn) ctx.tracing.record(spanOfRun(run))
  // A completed run has no outstanding work to settle.
  if (run.state !== 'completed') {
    const unneededTasks = scene.unneededTasks.splice(0)
    await ctx.jobs.add(ctx.db, settleRunJob, {
      run_id: run.id,
      ...(unneededTasks.length > 0 && { tasks: unneededTasks }),
    })
  }
  const result = await resultOf(ctx, scene, run)
  if (run.task_id !== null) await endTask(ctx, run, result)
  if (run.tool_invocation_id !== null) await notifyParent(ctx, run, result)
  const { hook_call: hookCallId } = run.metadata as { hook_call?: string }
  if (hookCallId !== undefined) await answerHookCall(ctx, hookCallId, run, result)
}

const notifyParent = async (ctx: Ctx<Actor>, run: store.RunRow, result: unknown): Promise<void> => {
  const call = await store.findCall(ctx.db, run.tool_invocation_id ?? '')
  if (!call) return
  await deliverCallResult(ctx, { chatId: call.chat_id, runId: call.run_id, id: call.id }, callEndOf(run, result))
}

/** Answers the run that waits for this one as the handler of its lifecycle event. */
const answerHookCall = async (
  ctx: Ctx<Actor>,
  hookCallId: string,
  run: store.RunRow,
  result: unknown,
): Promise<void> => {
  const row = await store.findHookCall(ctx.db, hookCallId)
  if (!row) return
  const answer = answerOfAgent(result, run.state !== 'completed')
  await resume(ctx, row.chat_id, row.run_id, (scene) => applyHandlerAnswer(ctx, scene, row.id, answer))
}

type Sender = { runAs: Grant; startedBy: unknown }

/**
 * Starts one run with the messages that arrived too late for the last one. It belongs to the first sender and has only
 * the scopes that all senders share, so no message acts with more rights than its sender has.
 */
const startQueued = async (ctx: Ctx<Actor>, scene: Scene): Promise<void> => {
  const queued = await queuedIn(ctx, scene)
  const [first] = queued
  const before = scene.run
  if (!first || !before) return
  const recorded: Sender = { runAs: before.run_as as Grant, startedBy: before.started_by }
  const senders = queued.map((message) => (message.sent_as as Sender | null) ?? recorded)
  await beginRun(ctx, scene, {
    userId: first.user_id,
    runAs: senders.map((sender) => sender.runAs).reduce((scopes, next) => narrow(scopes, next)),
    startedBy: senders[0]?.startedBy,
    userMessageId: first.id,
    traceparent: before.traceparent,
  })
}

/** Starts a run in a chat without an active one, and takes its first step. */
export const beginRun = async (ctx: Ctx<Actor>, scene: Scene, given: NewRun): Promise<store.RunRow> => {
  const run = newRunRow(ctx, scene, given)
  scene.run = run
  scene.isNewRun = true
  scene.interrupts = new Map()
  scene.hookCalls = new Map()
  const answer = newMessage(ctx, scene, {
    role: 'assistant',
    status: 'pending',
    content: [],
    userId: given.userId,
    runId: run.id,
  })
  run.message_id = answer.id
  for (const { id, role, status, agent_run_id } of scene.messages.values())
    if (role === 'user' && status === 'ready' && agent_run_id === null)
      changeMessage(scene, id, { agent_run_id: run.id })
  const run_count = scene.chat.run_count + 1
  changeChat(scene, { active_run_id: run.id, status: 'busy', run_count, output: null, last_error: '' })
  scene.agentEvents.push({
    type: 'run.started',
    payload: {
      agent_id: run.agent_id ?? '',
      agent_version_id: run.agent_version_id,
      ...(run.user_message_id !== null && { user_message_id: run.user_message_id }),
    },
  })
  await drive(ctx, scene, [{ type: 'begun' }])
  return run
}

/** The chat and run of a sub-agent, with the context and scopes of the parent's run. */
const startChild = async (ctx: Ctx<Actor>, parent: Scene, child: ChildRun): Promise<string> => {
  const run = runOf(parent)
  const { agent, version } = child.found
  const chat = newChatRow(ctx, {
    teamId: parent.chat.team_id,
    userId: run.user_id,
    visibility: parent.chat.visibility,
    name: child.message.slice(0, 80),
    agentId: agent.id,
    versionId: version.id,
    context: child.context,
    parent: parent.chat,
    agentData: { ...agentDataOf(parent.chat), plan_steps: [], memory: {}, always_allowed_tools: [] },
  })
  const scene = sceneOf(chat, version)
  const message = newMessage(ctx, scene, {
    role: 'user',
    status: 'ready',
    content: [{ type: 'text', text: child.message }],
    userId: run.user_id,
    runId: null,
  })
  const started = await beginRun(ctx, scene, {
    userId: run.user_id,
    runAs: run.run_as,
    startedBy: { kind: 'run', id: run.id },
    userMessageId: message.id,
    toolInvocationId: child.callId,
    triggerId: run.trigger_id,
    traceparent: insideCall(ctx.tracing, run, child.callId),
  })
  return started.id
}
