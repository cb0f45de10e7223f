// Starts a chat with a conversation that took place elsewhere, or continues one, for clients that send the whole
// conversation with each request.
import type { ContentItem } from '@millrace/contract/chats'
import { newId } from '@millrace/contract/ids'
import { runAs } from '@millrace/contract/scopes'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { type Addressee, assertCanRun } from './addressee.ts'
import { beginRun } from './runs/drive.ts'
import { saveScene } from './runs/save-scene.ts'
import { changeChat, newMessage, putCall, type Scene } from './runs/scene.ts'
import { addMessage, lockForSending, nameAfter, newChat, openDriven } from './start.ts'
import type * as store from './store.ts'
import type { ModelRequest } from './tools/requested.ts'

type Ctxm = Ctx<Member>

/** `result`: null if the conversation contains no result of the call. */
export type PastCall = { callId: string; name: string; arguments: Record<string, unknown>; result: string | null }

export type PastMessage = {
  role: 'user' | 'assistant' | 'system'
  content: ContentItem[]
  calls: readonly PastCall[]
}

export type Conversation = {
  past: readonly PastMessage[]
  /** The new message; null if the conversation ends with results of tools. */
  content: ContentItem[] | null
  request: ModelRequest
}

export type NewConversation = Conversation & {
  addressee: Addressee
  context: Record<string, string>
  channel: { channel_type: string; channel_metadata: Record<string, unknown> }
}

const pastCall = (ctx: Ctxm, message: store.MessageRow, call: PastCall, position: number): store.CallRow => {
  const now = wireTime(ctx.now())
  const isAnswered = call.result !== null
  const unknown = { data: null, widget: null, token_hash: null, allowed_by: null, used: null, explanation: null }
  return {
    ...{ id: newId(), team_id: message.team_id, user_id: message.user_id, chat_id: message.chat_id, run_id: '' },
    ...{ chat_message_id: message.id, call_id: call.callId, position, type: 'client', name: call.name },
    ...{ display_name: '', arguments: call.arguments, status: isAnswered ? 'completed' : 'cancelled' },
    ...{ result: call.result ?? 'The call was not finished.', execution_id: null, ...unknown },
    ...{ created_at: now, updated_at: now },
  }
}

/** Writes the earlier messages, so that the first step reads them like those of any chat. */
const putPast = async (ctx: Ctxm, scene: Scene, past: readonly PastMessage[]): Promise<void> => {
  for (const { role, content, calls } of past) {
    const { userId } = ctx.actor
    const message = newMessage(ctx, scene, { role, status: 'ready', content, userId, runId: null })
    for (const [position, call] of calls.entries()) putCall(scene, pastCall(ctx, message, call, position))
  }
  const first = past.find(({ role }) => role === 'user')
  // One position before the new message is reserved for the summary of the earlier ones.
  changeChat(scene, { next_order: scene.chat.next_order + 1, ...(first && { name: nameAfter(first.content) }) })
  await saveScene(ctx, scene)
  scene.isNewChat = false
  scene.messages.clear()
  scene.calls.clear()
}

type StartedConversation = { chatId: string; answerId: string }

const send = async (ctx: Ctxm, scene: Scene, { content, request }: Conversation): Promise<StartedConversation> => {
  const { actor } = ctx
  const sender = { runAs: runAs(actor.grant), startedBy: { kind: actor.kind, id: actor.credentialId } }
  const run = content
    ? (await addMessage(ctx, scene, content, { modelRequest: request })).run
    : await beginRun(ctx, scene, { userId: actor.userId, ...sender, userMessageId: null, modelRequest: request })
  const answer = [...scene.messages.values()]
    .filter(({ role, agent_run_id }) => role === 'assistant' && agent_run_id === run?.id)
    .sort((a, b) => a.order - b.order)[0]
  if (!answer) throw fail('internal_error', { cause: new Error(`Chat ${scene.chat.id} has no answer`) })
  return { chatId: scene.chat.id, answerId: answer.id }
}

export const startConversation = (ctx: Ctxm, given: NewConversation): Promise<StartedConversation> =>
  ctx.tx(async (ctx) => {
    const { addressee, past, context, channel } = given
    assertCanRun(addressee)
    const scene = newChat(ctx, addressee, { context })
    scene.chat.channel_context = channel
    // A coding agent on a machine has its own record of the conversation.
    if (past.length > 0 && !addressee.driver) await putPast(ctx, scene, past)
    const begun = await send(ctx, scene, given)
    if (addressee.driver) await openDriven(ctx, scene.chat)
    return begun
  })

/** Sends the next message of a chat whose earlier messages are known. */
export const continueConversation = (
  ctx: Ctxm,
  chatId: string,
  given: Omit<Conversation, 'past'>,
): Promise<StartedConversation> =>
  ctx.tx(async (ctx) => {
    const scene = await lockForSending(ctx, chatId)
    if (scene.run !== null) throw fail('invalid_state', 'The agent is still working on the previous message')
    return send(ctx, scene, { ...given, past: [] })
  })
