// Answers to the calls that a run waits for: approvals, forms, results of client and webhook tools. Every answer is
// checked under the lock of the chat, so only the first of several concurrent answers counts.
import { timingSafeEqual } from 'node:crypto'
import type { AnswerTool } from '@millrace/contract/chat-answers'
import type { ToolInvocation } from '@millrace/contract/chats'
import { assertMayApprove } from '#accounts/approvals/service.ts'
import { removeExpiry } from '#automation/triggers/service.ts'
import { type Actor, isMember, type Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { hasScope, requireScope } from '#platform/core/scope-checks.ts'
import { wireTime } from '#platform/core/times.ts'
import { hashToken } from '#platform/core/tokens.ts'
import { assertMayAct } from '../access.ts'
import { callDto } from '../dto.ts'
import { dataOfAnswer, textOfAnswer } from '../loop/answer-text.ts'
import type { LoopEvent } from '../loop/decide.ts'
import { drive } from '../runs/drive.ts'
import { addErrand, changeCall, isEnding, ofCall, openScene, putInterrupt, runOf, type Scene } from '../runs/scene.ts'
import * as store from '../store.ts'
import { maskHookKey } from '../tools/call-hook.ts'
import { keyPartsOf } from '../tools/call-http.ts'
import { toolKind } from '../tools/kinds.ts'
import { interruptsOfCall } from './call-interrupts.ts'
import type { InterruptRow } from './interrupts-store.ts'

type Ctxm = Ctx<Member>

export const notPending = () => fail('tool_not_pending', 'The tool call is no longer waiting for this answer')

/** Locks the chat of a call; `not_found` unless the caller may write in it. */
export const sceneOfCall = async (
  ctx: Ctxm,
  id: string,
  chatId?: string,
): Promise<{ scene: Scene; call: store.CallRow }> => {
  const found = await store.findCall(ctx.db, id)
  const chat = found && (await store.findChat(ctx.db, found.chat_id))
  const isNamed = chatId === undefined || chat?.id === chatId || chat?.id.slice(0, 8) === chatId
  if (!found || !chat || !isNamed) throw fail('not_found', 'Tool call not found')
  assertMayAct(ctx, chat, 'tool call')
  const scene = await openScene(ctx, chat.id)
  if (!scene) throw fail('not_found', 'Tool call not found')
  return { scene, call: scene.calls.get(found.id) ?? found }
}

export const close = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  interrupt: InterruptRow,
  end: { status: 'resolved' | 'expired'; resolution: 'allow' | 'deny'; data?: unknown },
): Promise<void> => {
  putInterrupt(scene, {
    ...interrupt,
    status: end.status,
    resolution: end.resolution,
    resolved_at: wireTime(ctx.now()),
    resolved_by: isMember(ctx.actor) ? ctx.actor.userId : null,
    resolved_data: end.data ?? null,
  })
  scene.agentEvents.push({
    type: 'approval.resolved',
    payload: {
      interrupt_id: interrupt.id,
      ...ofCall(scene.calls.get(interrupt.resource_id ?? '')),
      decision: end.resolution,
      ...(end.status === 'expired' && { reason: 'expired' }),
    },
  })
  if (interrupt.expires_at !== null) await removeExpiry(ctx, interrupt.id)
}

const closeForCall = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  callId: string,
  resolution: 'allow' | 'deny',
  data?: unknown,
) => {
  for (const interrupt of interruptsOfCall(scene, callId))
    await close(ctx, scene, interrupt, { status: 'resolved', resolution, data })
}

export const approve = async (ctx: Ctx<Actor>, scene: Scene, callId: string, data?: unknown): Promise<LoopEvent[]> => {
  await closeForCall(ctx, scene, callId, 'allow', data)
  const userId = isMember(ctx.actor) ? ctx.actor.userId : null
  changeCall(scene, callId, { allowed_by: { kind: 'person', user_id: userId } })
  return [{ type: 'approved', callId }]
}

export const reject = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  callId: string,
  reason: string,
  data?: unknown,
): Promise<LoopEvent[]> => {
  await closeForCall(ctx, scene, callId, 'deny', data)
  const result = `A person rejected this call${reason === '' ? '.' : `: ${reason}`}`
  return [{ type: 'call_ended', callId, ended: { status: 'cancelled', result } }]
}

export const isOpenCall = (scene: Scene, call: store.CallRow, status: string): boolean =>
  scene.run !== null && scene.calls.get(call.id)?.status === status && !isEnding(scene, call.id)

const shown = (scene: Scene, id: string): ToolInvocation => {
  const call = scene.calls.get(id)
  if (!call) throw fail('not_found', 'Tool call not found')
  return callDto(call, scene.chat)
}

export const invokeTool = (ctx: Ctxm, id: string): Promise<ToolInvocation> =>
  ctx.tx(async (ctx) => {
    const { scene, call } = await sceneOfCall(ctx, id)
    if (!isOpenCall(scene, call, 'awaiting_approval')) throw notPending()
    await drive(ctx, scene, await approve(ctx, scene, call.id))
    return shown(scene, call.id)
  })

export const rejectTool = (ctx: Ctxm, id: string, reason = ''): Promise<ToolInvocation> =>
  ctx.tx(async (ctx) => {
    const { scene, call } = await sceneOfCall(ctx, id)
    if (!isOpenCall(scene, call, 'awaiting_approval')) throw notPending()
    await drive(ctx, scene, await reject(ctx, scene, call.id, reason))
    return shown(scene, call.id)
  })

/**
 * Callers who may run agents or write in chats answer client tools; people answer forms; no other call can be answered.
 */
const assertMayAnswer = (ctx: Ctxm, call: store.CallRow): void => {
  if (call.type === 'mcp' || call.widget !== null) {
    assertMayApprove(ctx)
    return
  }
  if (call.type !== 'client' && call.type !== 'hook') throw notPending()
  if (call.type === 'client' && hasScope(ctx.actor, 'conversations:write')) return
  requireScope(ctx.actor, 'agents:execute')
}

const isAuthQuestion = (scene: Scene, callId: string): boolean =>
  interruptsOfCall(scene, callId).some(({ reason }) => reason === 'auth')

const acceptAnswer = async (ctx: Ctx<Actor>, scene: Scene, call: store.CallRow, answer: AnswerTool): Promise<void> => {
  const isOpen = isOpenCall(scene, call, 'awaiting_input') && !isAuthQuestion(scene, call.id)
  if (!isOpen) throw notPending()
  const text = await withoutKey(ctx, scene, call, textOfAnswer(answer))
  toolKind(ctx, call.type)?.assertAnswers(call.data, text)
  await closeForCall(ctx, scene, call.id, 'allow', dataOfAnswer(text))
  if (call.type === 'mcp') return drive(ctx, scene, retryWithAnswer(ctx, scene, call.id, text))
  return drive(ctx, scene, [{ type: 'call_ended', callId: call.id, ended: { status: 'completed', result: text } }])
}

/** Removes the key from a webhook's reply, which may repeat it. */
const withoutKey = async (ctx: Ctx<Actor>, scene: Scene, call: store.CallRow, text: string): Promise<string> => {
  const { version, chat } = scene
  const tool = version.config.tools.find(({ name }) => name === call.name)
  if (!tool?.hook) return text
  const parts = await keyPartsOf(ctx, version, chat)
  return maskHookKey(ctx.as(runActor(runOf(scene))), tool, text, parts)
}

/** Calls the MCP server again with the person's answer. */
export const retryWithAnswer = (ctx: Ctx<Actor>, scene: Scene, callId: string, text: string): LoopEvent[] => {
  const data = scene.calls.get(callId)?.data as object
  changeCall(scene, callId, { status: 'in_progress', data: { ...data, answer: text } })
  addErrand(ctx, scene, 'tool', callId)
  return []
}

/** With a token the webhook answers for itself; without one, the caller needs access. */
export const answerTool = (
  ctx: Ctx<Actor>,
  id: string,
  answer: AnswerTool,
  token: string | undefined,
): Promise<ToolInvocation> =>
  ctx.tx(async (ctx) => {
    if (token !== undefined && token !== '') return answerWithToken(ctx, id, answer, token)
    if (!isMember(ctx.actor)) throw fail('unauthorized', 'A valid API key or session token is required')
    const member = ctx.as(ctx.actor)
    const { scene, call } = await sceneOfCall(member, id)
    assertMayAnswer(member, call)
    await acceptAnswer(ctx, scene, call, answer)
    return shown(scene, call.id)
  })

const answerWithToken = async (
  ctx: Ctx<Actor>,
  id: string,
  answer: AnswerTool,
  token: string,
): Promise<ToolInvocation> => {
  const found = await store.findCall(ctx.db, id)
  // Checked before locking the chat, with the same error for a missing call: this operation needs no credential.
  if (!found?.token_hash || !timingSafeEqual(found.token_hash, hashToken(token)))
    throw fail('unauthorized', 'The token is not valid for this call')
  const scene = await openScene(ctx, found.chat_id)
  const call = scene?.calls.get(found.id) ?? found
  if (!scene?.run) throw notPending()
  // The answer can arrive before the acknowledgement of the call.
  if (isOpenCall(scene, call, 'in_progress')) changeCall(scene, call.id, { status: 'awaiting_input' })
  await acceptAnswer(ctx, scene, call, answer)
  return shown(scene, call.id)
}
