// A chat during a step: its row is locked, the rows that the step needs are loaded, and changes are collected.
// save-scene.ts writes them and emits the events.
import { isInvocationOver, isRunOver, type MessageStatus, type RunState } from '@millrace/contract/chats'
import { newId } from '@millrace/contract/ids'
import type { Insertable } from 'kysely'
import type { RunCause } from '#money/budgets/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { loadVersion, type Version } from '../../agents/service.ts'
import type { InterruptRow } from '../interrupts/interrupts-store.ts'
import type { AgentEvent } from '../loop/agent-events.ts'
import { statesTo } from '../loop/run-moves.ts'
import * as store from '../store.ts'
import { lockLiveChat } from './scene-store.ts'

export type Scene = {
  chat: store.ChatRow
  version: Version
  run: store.RunRow | null
  /** The messages of the step; those in `touched` are written. */
  messages: Map<string, store.MessageRow>
  calls: Map<string, store.CallRow>
  interrupts: Map<string, InterruptRow>
  hookCalls: Map<string, store.HookCallRow>
  errands: Insertable<Database['agent_errands']>[]
  touched: { messages: Set<string>; calls: Set<string>; interrupts: Set<string>; hookCalls: Set<string> }
  settledHooks: string[]
  isNewRun: boolean
  chatChanged: boolean
  runChanged: boolean
  agentEvents: AgentEvent[]
  /** Snapshots of the run in the intermediate states of this step. */
  intermediateRuns: store.RunRow[]
  /** Queued messages; undefined if not loaded yet. */
  queued: readonly store.MessageRow[] | undefined
  /** The chat was created in this step and has no rows in the database yet. */
  isNewChat: boolean
  /** Tasks of handlers that are no longer needed once the run is over. */
  unneededTasks: string[]
}

export const emptyTouched = (): Scene['touched'] => ({
  messages: new Set(),
  calls: new Set(),
  interrupts: new Set(),
  hookCalls: new Set(),
})

/** For a new chat, which is written with the step. */
export const sceneOf = (chat: store.ChatRow, version: Version): Scene => ({
  chat,
  version,
  run: null,
  messages: new Map(),
  calls: new Map(),
  interrupts: new Map(),
  hookCalls: new Map(),
  errands: [],
  touched: emptyTouched(),
  settledHooks: [],
  isNewRun: false,
  chatChanged: false,
  runChanged: false,
  agentEvents: [],
  intermediateRuns: [],
  queued: [],
  isNewChat: true,
  unneededTasks: [],
})

/** Locks the chat and loads its active run. Undefined if the chat does not exist. */
export const openScene = async (ctx: Ctx<Actor>, chatId: string): Promise<Scene | undefined> => {
  const live = await lockLiveChat(ctx.db, chatId)
  const version = live && (await loadVersion(ctx.db, live.chat.agent_version_id))
  if (!live || !version) return undefined
  const { chat, run } = live
  const scene: Scene = { ...sceneOf(chat, version), isNewChat: false, queued: undefined }
  if (!run || isRunOver(run.state)) return scene
  scene.run = run
  scene.queued = live.messages.filter(({ id, status }) => status === 'queued' && id !== run.message_id)
  for (const message of live.messages) if (message.id === run.message_id) scene.messages.set(message.id, message)
  for (const call of live.calls) scene.calls.set(call.id, call)
  for (const interrupt of live.interrupts) scene.interrupts.set(interrupt.id, interrupt)
  for (const call of live.hookCalls) scene.hookCalls.set(call.id, call)
  if (version.id !== run.agent_version_id) scene.version = (await loadVersion(ctx.db, run.agent_version_id)) ?? version
  return scene
}

/** Queued messages without those that the step consumed. None are added while the chat is locked. */
export const queuedIn = async (ctx: Ctx<Actor>, scene: Scene): Promise<store.MessageRow[]> => {
  scene.queued ??= await store.findQueued(ctx.db, scene.chat.id)
  return scene.queued.filter(({ id }) => (scene.messages.get(id)?.status ?? 'queued') === 'queued')
}

/** The cause recorded in the tasks of the run. */
export const causeOf = (scene: Scene): RunCause => {
  const { trigger_id, flow_run_id, task_id } = runOf(scene)
  return { trigger_id, flow_run_id, task_id, agent_id: scene.chat.agent_id, parent_chat_id: scene.chat.parent_id }
}

/** The active run; throws if there is none. */
export const runOf = (scene: Scene): store.RunRow => {
  if (!scene.run) throw new Error(`Chat ${scene.chat.id} has no run`)
  return scene.run
}

/** The calls of the model's latest turn. */
export const currentCalls = ({ run, calls }: Scene): store.CallRow[] =>
  [...calls.values()].filter((call) => call.chat_message_id === run?.message_id).sort((a, b) => a.position - b.position)

export const changeChat = (scene: Scene, change: Partial<store.ChatRow>): void => {
  Object.assign(scene.chat, change)
  scene.chatChanged = true
}

/** Readers expect every intermediate state, so skipped states are emitted too. */
const enter = (scene: Scene, run: store.RunRow, to: RunState, error = ''): void => {
  let from = run.state
  for (const state of statesTo(run.state as RunState, to)) {
    if (state !== to) scene.intermediateRuns.push({ ...run, state })
    const payload = { from_state: from, to_state: state, ...(state === to && error !== '' && { error }) }
    scene.agentEvents.push({ type: 'run.state_changed', payload })
    from = state
  }
}

export const changeRun = (scene: Scene, change: Partial<store.RunRow>): void => {
  const run = runOf(scene)
  if (change.state !== undefined && change.state !== run.state)
    enter(scene, run, change.state as RunState, change.error)
  Object.assign(run, change)
  scene.runChanged = true
}

export const putMessage = (scene: Scene, message: store.MessageRow): store.MessageRow => {
  scene.messages.set(message.id, message)
  scene.touched.messages.add(message.id)
  return message
}

export const changeMessage = (scene: Scene, id: string, change: Partial<store.MessageRow>): void => {
  const message = scene.messages.get(id)
  if (message) putMessage(scene, Object.assign(message, change))
}

export const putCall = (scene: Scene, call: store.CallRow): void => {
  scene.calls.set(call.id, call)
  scene.touched.calls.add(call.id)
  // A message is shown with its calls, so it is written and emitted with them.
  if (scene.messages.has(call.chat_message_id)) scene.touched.messages.add(call.chat_message_id)
}

type BegunCall = Pick<
  store.CallRow,
  'chat_message_id' | 'call_id' | 'position' | 'type' | 'name' | 'display_name' | 'arguments' | 'status'
>

/** A new call without a result. */
export const beginCall = (ctx: Ctx<Actor>, scene: Scene, begun: BegunCall): store.CallRow => {
  const { id, user_id } = runOf(scene)
  const now = wireTime(ctx.now())
  const owner = { team_id: scene.chat.team_id, user_id, chat_id: scene.chat.id, run_id: id }
  const unknown = { result: null, data: null, widget: null, token_hash: null, allowed_by: null, used: null }
  const call = {
    ...{ id: newId(), ...owner, ...begun, ...unknown },
    ...{ execution_id: null, explanation: null, created_at: now, updated_at: now },
  }
  putCall(scene, call)
  return call
}

export const changeCall = (scene: Scene, id: string, change: Partial<store.CallRow>): store.CallRow => {
  const call = scene.calls.get(id)
  if (!call) throw new Error(`Call ${id} is not part of the step`)
  putCall(scene, Object.assign(call, change))
  return call
}

/** Fields of an event that identify a call; empty if the event is not about a call. */
export const ofCall = (call: store.CallRow | undefined) => ({
  tool_invocation_id: call?.id ?? '',
  tool_name: call?.name ?? '',
})

export const putInterrupt = (scene: Scene, interrupt: InterruptRow): void => {
  scene.interrupts.set(interrupt.id, interrupt)
  scene.touched.interrupts.add(interrupt.id)
  scene.chatChanged = true
}

export const putHookCall = (scene: Scene, call: store.HookCallRow): void => {
  scene.hookCalls.set(call.id, call)
  scene.touched.hookCalls.add(call.id)
}

export const pendingInterrupts = ({ interrupts }: Scene): InterruptRow[] =>
  [...interrupts.values()].filter(({ status }) => status === 'pending')

export const newMessage = (
  ctx: Ctx<Actor>,
  scene: Scene,
  message: {
    role: string
    status: MessageStatus
    content: unknown
    userId: string
    runId: string | null
    sentAs?: unknown
  },
): store.MessageRow => {
  const now = wireTime(ctx.now())
  const order = scene.chat.next_order
  scene.chat.next_order += 1
  return putMessage(scene, {
    id: newId(),
    chat_id: scene.chat.id,
    team_id: scene.chat.team_id,
    user_id: message.userId,
    agent_run_id: message.runId,
    order,
    status: message.status,
    role: message.role,
    content: message.content,
    task_id: null,
    tools: null,
    usage: null,
    sent_as: message.sentAs ?? null,
    event_seq: 0,
    created_at: now,
    updated_at: now,
  })
}

export const addInterrupt = (
  ctx: Ctx<Actor>,
  scene: Scene,
  interrupt: Pick<InterruptRow, 'reason' | 'source'> &
    Partial<Pick<InterruptRow, 'resource_id' | 'resource_type' | 'expires_at' | 'meta'>>,
): InterruptRow => {
  const run = runOf(scene)
  const now = wireTime(ctx.now())
  const row: InterruptRow = {
    id: newId(),
    team_id: scene.chat.team_id,
    user_id: run.user_id,
    run_id: run.id,
    chat_id: scene.chat.id,
    resource_id: null,
    resource_type: null,
    expires_at: null,
    meta: {},
    ...interrupt,
    status: 'pending',
    resolution: null,
    resolved_at: null,
    resolved_by: null,
    resolved_data: null,
    created_at: now,
    updated_at: now,
  }
  putInterrupt(scene, row)
  const call = scene.calls.get(row.resource_id ?? '')
  scene.agentEvents.push({
    type: 'approval.required',
    payload: {
      interrupt_id: row.id,
      ...ofCall(call),
      ...(call && { arguments: call.arguments }),
      reason: row.reason,
    },
  })
  return row
}

/** Queues an outbound request that is sent after the commit. */
export const addErrand = (ctx: Ctx<Actor>, scene: Scene, kind: 'tool' | 'hook' | 'learn', subjectId: string): void => {
  const now = ctx.now().toISOString()
  scene.errands.push({
    id: newId(),
    team_id: scene.chat.team_id,
    run_id: runOf(scene).id,
    chat_id: scene.chat.id,
    kind,
    subject_id: subjectId,
    available_at: now,
    created_at: now,
  })
}

/** The call has its result and only waits for hooks; its status no longer changes. */
export const isEnding = ({ hookCalls }: Scene, callId: string): boolean =>
  [...hookCalls.values()].some(
    ({ event, tool_invocation_id, is_waited_for }) =>
      event === 'agent.tool_result' && tool_invocation_id === callId && is_waited_for,
  )

export const isCallOver = (call: store.CallRow): boolean => isInvocationOver(call.status)
