// A chat that is run by a coding agent on a machine: its start, what the machine must receive, and how its events are
// stored. Remotes handle the transport.
import type { ContentItem } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { evaluateRules } from '#accounts/approvals/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import type { Db } from '#platform/db/database.ts'
import { adHocVersion } from '../../agents/service.ts'
import { type Driver, insertable, newChatRow } from '../chat-row.ts'
import { agentDataOf } from '../dto.ts'
import { interruptCall, interruptsOfCall } from '../interrupts/call-interrupts.ts'
import { rulesOf } from '../interrupts/call-rules.ts'
import { readUsage } from '../loop/agent-events.ts'
import { subjectOf } from '../loop/calls.ts'
import type { LoopEvent } from '../loop/decide.ts'
import * as store from '../store.ts'
import { drive } from './drive.ts'
import {
  beginCall,
  changeCall,
  changeChat,
  changeMessage,
  changeRun,
  isCallOver,
  ofCall,
  openScene,
  putInterrupt,
  runOf,
  type Scene,
} from './scene.ts'

export const beginDrivenChat = async (
  ctx: Ctx<Member>,
  { name, driver }: { name: string; driver: Driver },
): Promise<store.ChatRow> => {
  const version = await adHocVersion(ctx, name, { name })
  const { teamId, userId } = ctx.actor
  const chat = newChatRow(ctx, { teamId, userId, agentId: null, versionId: version.id, context: {}, driver })
  await store.insertChat(ctx.db, insertable(chat))
  return chat
}

export type SessionEvent = { type: string; run_id?: string | undefined; payload: Record<string, unknown> }

/** The chat of a machine's session, locked. */
export type DrivenScene = {
  readonly isDeleted: boolean
  opened(sessionId: string): void
  /** Events in chronological order. */
  applyEvents(events: readonly SessionEvent[]): Promise<void>
  /** The session ended, and its active run fails. */
  failRun(error: string): void
}

/** Undefined if the chat does not exist; otherwise the result of `work`. */
export const withDrivenChat = async <T>(
  ctx: Ctx<Actor>,
  chatId: string,
  work: (chat: DrivenScene) => Promise<T>,
): Promise<T | undefined> => {
  const scene = await openScene(ctx, chatId)
  if (!scene) return undefined
  const happened: LoopEvent[] = []
  const result = await work({
    isDeleted: scene.chat.deleted_at !== null,
    opened: (sessionId) => {
      if (scene.chat.harness_session_id !== sessionId) changeChat(scene, { harness_session_id: sessionId })
    },
    applyEvents: async (events) => {
      for (const event of events) {
        const isOfRun = scene.run && (event.run_id ?? scene.run.id) === scene.run.id
        if (isOfRun && happened.length === 0) happened.push(...(await applyEvent(ctx, scene, event)))
      }
    },
    failRun: (error) => {
      if (scene.run && happened.length === 0) happened.push({ type: 'model_failed', error, isLost: false })
    },
  })
  await drive(ctx, scene, happened)
  return result
}

const text = (value: unknown, limit = 100_000): string =>
  typeof value === 'string' ? value.slice(0, limit).toWellFormed() : ''

/** Characters of one answer; the rest is dropped. */
const maxAnswerLength = 1_000_000

const appendText = (scene: Scene, { kind, delta }: Record<string, unknown>): void => {
  const message = scene.messages.get(runOf(scene).message_id ?? '')
  if (!message || typeof delta !== 'string') return
  const content = message.content as ContentItem[]
  const length = content.reduce((sum, item) => sum + (item.text?.length ?? 0), 0)
  const words = delta.slice(0, Math.max(0, maxAnswerLength - length)).toWellFormed()
  if (words === '') return
  const type: 'text' | 'reasoning' = kind === 'reasoning' ? 'reasoning' : 'text'
  const last = content.at(-1)
  const next =
    last?.type === type
      ? [...content.slice(0, -1), { ...last, text: (last.text ?? '') + words }]
      : [...content, { type, text: words }]
  changeMessage(scene, message.id, { content: next })
  scene.agentEvents.push({ type: 'content.delta', payload: { kind: type, delta: words } })
}

const argumentsOf = (given: unknown): Record<string, unknown> => {
  if (isRecord(given)) return given
  if (typeof given !== 'string') return {}
  try {
    const parsed: unknown = parseUntrustedJson(given)
    return isRecord(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

const maxCalls = 1_000

/** The call with this id, recorded on its first mention. */
const callOf = (ctx: Ctx<Actor>, scene: Scene, payload: Record<string, unknown>): store.CallRow | undefined => {
  const callId = text(payload.tool_invocation_id, 256)
  const known = [...scene.calls.values()].find((call) => call.call_id === callId)
  if (known || callId === '' || scene.calls.size >= maxCalls) return known
  const call = beginCall(ctx, scene, {
    chat_message_id: runOf(scene).message_id ?? '',
    call_id: callId,
    position: scene.calls.size,
    type: 'internal',
    name: text(payload.tool_name, 256) || 'tool',
    display_name: text(payload.display_name, 256),
    arguments: argumentsOf(payload.arguments),
    status: 'in_progress',
  })
  scene.agentEvents.push({
    type: 'tool.started',
    payload: { ...ofCall(call), tool_type: call.type, arguments: call.arguments },
  })
  return call
}

/** Applies the rules, or asks a person if no rule decides. */
const requestApproval = async (ctx: Ctx<Actor>, scene: Scene, call: store.CallRow): Promise<void> => {
  if (isCallOver(call) || call.status === 'awaiting_approval') return
  const ruleDecision = evaluateRules(subjectOf(call.name, undefined, call.arguments), await rulesOf(ctx, scene)(), {
    allowAllTools: agentDataOf(scene.chat).allow_all_tools,
    requireApproval: true,
  })
  const approvalData = { data: { approval: true } }
  if (ruleDecision.decision === 'allow') changeCall(scene, call.id, { ...approvalData, allowed_by: ruleDecision.by })
  else if (ruleDecision.decision === 'deny')
    changeCall(scene, call.id, { ...approvalData, status: 'cancelled', result: 'Denied by a rule.' })
  else {
    changeCall(scene, call.id, { ...approvalData, status: 'awaiting_approval', allowed_by: ruleDecision.by })
    interruptCall(ctx, scene, call, { reason: 'tool_approval' })
  }
}

/** The question was answered on the machine or has expired. */
const closeQuestions = (ctx: Ctx<Actor>, scene: Scene, call: store.CallRow, resolution: 'allow' | 'deny'): void => {
  for (const interrupt of interruptsOfCall(scene, call.id))
    putInterrupt(scene, { ...interrupt, status: 'resolved', resolution, resolved_at: wireTime(ctx.now()) })
}

const endings = ['completed', 'failed', 'cancelled'] as const

const endCall = (ctx: Ctx<Actor>, scene: Scene, call: store.CallRow, payload: Record<string, unknown>): void => {
  if (isCallOver(call)) return
  const status = endings.find((ending) => ending === payload.status) ?? 'completed'
  closeQuestions(ctx, scene, call, status === 'completed' ? 'allow' : 'deny')
  changeCall(scene, call.id, { status, result: text(payload.result) })
  const duration_ms = Math.max(0, ctx.now().getTime() - Date.parse(call.created_at))
  const about = { ...ofCall(call), status, result: text(payload.result), duration_ms }
  scene.agentEvents.push({ type: 'tool.completed', payload: about })
}

const answeredOnMachine = (
  ctx: Ctx<Actor>,
  scene: Scene,
  call: store.CallRow,
  { decision }: Record<string, unknown>,
) => {
  if (call.status !== 'awaiting_approval') return
  const isAllowed = String(decision).startsWith('allow') || decision === 'approved'
  closeQuestions(ctx, scene, call, isAllowed ? 'allow' : 'deny')
  changeCall(scene, call.id, {
    status: isAllowed ? 'in_progress' : 'cancelled',
    allowed_by: { kind: 'machine' },
    ...(!isAllowed && { result: 'Rejected on the machine.' }),
  })
}

const endTurn = (scene: Scene, payload: Record<string, unknown>): LoopEvent[] => {
  const run = runOf(scene)
  const state = payload.to_state ?? payload.to ?? payload.state
  if (state === 'canceled' || state === 'cancelled') return [{ type: 'stopped' }]
  if (state === 'failed' || state === 'rejected')
    return [
      { type: 'model_failed', error: text(payload.error) || run.error || 'The coding agent failed', isLost: false },
    ]
  if (state !== 'completed') return []
  const message = scene.messages.get(run.message_id ?? '')
  changeMessage(scene, run.message_id ?? '', { status: 'ready' })
  changeRun(scene, { error: '' })
  const hasText = (message?.content as ContentItem[] | undefined)?.length !== 0
  const summary = { turn_index: run.turn, tool_count: scene.calls.size, has_output: hasText }
  scene.agentEvents.push({ type: 'turn.completed', payload: summary })
  return [{ type: 'model_answered', calls: [], hasText }]
}

const applyEvent = async (ctx: Ctx<Actor>, scene: Scene, { type, payload }: SessionEvent): Promise<LoopEvent[]> => {
  switch (type) {
    case 'content.delta':
      appendText(scene, payload)
      return []
    case 'run.state_changed':
      return endTurn(scene, payload)
    case 'error':
      changeRun(scene, { error: text(payload.message, 10_000) })
      return []
    case 'usage.updated':
      changeMessage(scene, runOf(scene).message_id ?? '', { usage: payload })
      scene.agentEvents.push({ type: 'usage.updated', payload: readUsage(payload) })
      return []
    case 'tool.started':
    case 'tool.completed':
    case 'approval.required':
    case 'approval.resolved': {
      const call = callOf(ctx, scene, payload)
      if (!call) return []
      if (type === 'tool.completed') endCall(ctx, scene, call, payload)
      else if (type === 'approval.required') await requestApproval(ctx, scene, call)
      else if (type === 'approval.resolved') answeredOnMachine(ctx, scene, call, payload)
      return []
    }
    default:
      return []
  }
}

/** The complete state that the machine of a chat needs, including what was already sent. */
export type DrivenState = {
  runId: string | null
  /** A person stopped the latest run. */
  isStopped: boolean
  /** The people's messages in the run, in order. */
  prompts: { messageId: string; text: string }[]
  /** The answers to the questions of the run. */
  answers: { requestId: string; decision: 'allow' | 'deny'; reason: string }[]
}

const promptText = (content: readonly ContentItem[]): string =>
  content.map(({ text = '', image, file }) => text || image || file || '').join('\n')

export const drivenState = async (db: Db, chatId: string): Promise<DrivenState> => {
  const active = (await store.findChat(db, chatId))?.active_run_id ?? null
  const run = active === null ? await store.findLatestRun(db, chatId) : await store.findRun(db, active)
  if (!run || run.finished_at !== null)
    return { runId: null, isStopped: run?.state === 'canceled', prompts: [], answers: [] }
  const messages = await store.findMessagesOfRun(db, chatId, run.id)
  const calls = await store.findCallsOfRun(db, run.id)
  return {
    runId: run.id,
    isStopped: false,
    prompts: messages
      .filter(({ role, status }) => role === 'user' && status === 'ready')
      .map(({ id, content }) => ({ messageId: id, text: promptText(content as ContentItem[]) })),
    answers: calls
      .filter(({ data, status }) => (data as { approval?: boolean } | null)?.approval && status !== 'awaiting_approval')
      .map(({ call_id, status, result }) => {
        const isAllowed = status === 'in_progress' || status === 'completed'
        return { requestId: call_id, decision: isAllowed ? 'allow' : 'deny', reason: isAllowed ? '' : (result ?? '') }
      }),
  }
}
