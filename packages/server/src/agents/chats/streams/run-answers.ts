// One answer of a run for clients of other protocols: the messages of the run from one point on, as they are written,
// until the run is over. An answer is identified by its first message, or by the tool call whose result continued the
// run.
import type { AgentRun, ChatMessage, MessageUsage } from '@millrace/contract/chats'
import { isRunOver } from '@millrace/contract/chats'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertChatReadable, createReadCheck } from '../access.ts'
import { messageDto, runDto } from '../dto.ts'
import { contentOfDelta, readUsage } from '../loop/agent-events.ts'
import { findRunWithChat } from '../runs/scene-store.ts'
import * as store from '../store.ts'
import { messageEvent } from './events.ts'
import { followChat, type LoadedEvents } from './follow-chat.ts'

export type RunAnswer = {
  id: string
  chat: store.ChatRow
  run: store.RunRow
  /** Messages before this position belong to earlier answers of the run. */
  fromOrder: number
}

const missing = () => fail('not_found', 'Response not found')

const findStart = async (ctx: Ctx<Actor>, id: string) => {
  const message = await store.findMessage(ctx.db, id)
  if (message) return { runId: message.agent_run_id ?? '', fromOrder: message.order }
  const call = await store.findCall(ctx.db, id)
  const callMessage = call && (await store.findMessage(ctx.db, call.chat_message_id))
  return callMessage && { runId: call.run_id, fromOrder: callMessage.order + 1 }
}

/** `not_found` unless the caller may read the chat. */
export const findAnswer = async (ctx: Ctx<Actor>, id: string): Promise<RunAnswer> => {
  const start = await findStart(ctx, id)
  const run = start && start.runId !== '' ? await store.findRun(ctx.db, start.runId) : undefined
  const chat = run && (await store.findChat(ctx.db, run.chat_id))
  if (!start || !run || !chat) throw missing()
  await assertChatReadable(ctx, chat).catch(() => {
    throw missing()
  })
  return { id, chat, run, fromOrder: start.fromOrder }
}

export type AnswerUpdate =
  | { type: 'message'; message: ChatMessage }
  | { type: 'delta'; messageId: string; kind: 'text' | 'reasoning'; text: string }
  | { type: 'run'; run: AgentRun }

/** Every message of the answer, its text while it is written, and every change of the run. */
export async function* followAnswer(
  ctx: Ctx<Actor>,
  answer: RunAnswer,
  signal: AbortSignal,
): AsyncGenerator<AnswerUpdate> {
  const { run, chat, fromOrder } = answer
  const isPart = (data: object): boolean => (data as ChatMessage).order >= fromOrder
  const assertStillReadable = createReadCheck(ctx, chat)
  const load = async (since: number | null): Promise<LoadedEvents> => {
    const found = await findRunWithChat(ctx.db, run.id)
    await assertStillReadable(found?.chat)
    if (!found) throw missing()
    const shown = found.messages.filter(({ role, event_seq }) => role === 'assistant' && event_seq > (since ?? 0))
    const events = shown.map((row) => {
      const calls = found.calls.filter(({ chat_message_id }) => chat_message_id === row.id)
      return messageEvent(row, calls, found.chat)
    })
    const data = runDto(found.run, found.chat, found.interrupts)
    return { seq: found.chat.event_seq, events: [...events, { name: 'agent_runs', data, state: found.run.state }] }
  }
  const events = followChat(
    ctx.bus,
    {
      chatId: chat.id,
      assertStillReadable,
      load,
      pick: (event) => {
        if (
          event.name === 'chat_messages' &&
          event.runId === run.id &&
          event.role === 'assistant' &&
          isPart(event.data)
        )
          return { event: { type: 'update', name: 'message', data: event.data }, ends: false }
        if (event.name === 'agent_runs' && event.data.id === run.id)
          return { event: { type: 'update', name: 'run', data: event.data }, ends: isRunOver(event.state) }
        return undefined
      },
      wantsDeltas: (event) => event.runId === run.id && isPart(event.data),
    },
    signal,
  )
  for await (const event of events) {
    if (event.type === 'update' && event.name === 'message')
      yield { type: 'message', message: event.data as ChatMessage }
    else if (event.type === 'update') yield { type: 'run', run: event.data as AgentRun }
    else {
      const messageId = (event.data as { resource_id: string }).resource_id
      for (const { payload } of contentOfDelta(event.data))
        yield { type: 'delta', messageId, kind: payload.kind, text: payload.delta }
    }
  }
}

/** The messages of the answer so far, oldest first. */
export const messagesOfAnswer = async (ctx: Ctx<Actor>, { run, fromOrder }: RunAnswer): Promise<ChatMessage[]> => {
  const found = await findRunWithChat(ctx.db, run.id)
  if (!found) throw missing()
  return found.messages
    .filter(({ role, order }) => role === 'assistant' && order >= fromOrder)
    .sort((a, b) => a.order - b.order)
    .map((row) =>
      messageDto(
        row,
        found.calls.filter(({ chat_message_id }) => chat_message_id === row.id),
        found.chat,
      ),
    )
}

const counted = [
  ...(['prompt_tokens', 'completion_tokens', 'total_tokens'] as const),
  ...(['reasoning_tokens', 'cached_tokens', 'cache_write_tokens'] as const),
]

/** The sum of what the model app reported for the turns of the answer; `stop`: why the last turn ended. */
export const usageOfAnswer = async (
  ctx: Ctx<Actor>,
  { run, chat, fromOrder }: RunAnswer,
): Promise<Required<MessageUsage> & { stop: string }> => {
  const messages = await store.findMessagesOfRun(ctx.db, chat.id, run.id)
  const turns = messages.flatMap(({ usage, order }) =>
    usage !== null && order >= fromOrder ? [usage as Record<string, unknown>] : [],
  )
  const used = turns.map(readUsage)
  const sum = (name: keyof MessageUsage): number => used.reduce((total, one) => total + (one[name] ?? 0), 0)
  const stop = turns.at(-1)?.stop_reason
  const totals = Object.fromEntries(counted.map((name) => [name, sum(name)])) as Required<MessageUsage>
  return { ...totals, stop: typeof stop === 'string' ? stop : '' }
}
