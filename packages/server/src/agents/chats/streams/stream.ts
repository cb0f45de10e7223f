// A chat, one of its messages or one of its runs as a stream: the snapshot, then every change once and in order. All
// three follow the chat's events.
import { isRunOver } from '@millrace/contract/chats'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import type { EventStream, StreamEvent } from '#platform/core/event-stream.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { wireTime } from '#platform/core/times.ts'
import type { Db } from '#platform/db/database.ts'
import { readSnapshot } from '#platform/db/read-snapshot.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { assertChatReadable, createReadCheck } from '../access.ts'
import { mayReadContext, runDto } from '../dto.ts'
import type { InterruptRow } from '../interrupts/interrupts-store.ts'
import { agentEventDto, contentOfDelta } from '../loop/agent-events.ts'
import { chatDetails, readableChat, readableRun } from '../reads.ts'
import { findChatState, findRunWithChat } from '../runs/scene-store.ts'
import * as store from '../store.ts'
import { type ChatEvent, messageEvent } from './events.ts'
import { followChat, isMessageOver, type LoadedEvents } from './follow-chat.ts'

type Named = Exclude<ChatEvent, { name: 'agent_event' }>

type Hidden = { agent: boolean; context: boolean }

/** Shared by all readers who get the same parts, so that an event is serialized once. */
const named = new WeakMap<ChatEvent, Map<string, StreamEvent>>()

const withoutParts = (chat: object, hidden: Hidden): object => {
  const { agent_version, ...rest } = chat as { agent_version?: unknown }
  return {
    ...rest,
    ...(hidden.agent ? { agent: null } : agent_version !== undefined && { agent_version }),
    ...(hidden.context && { context: {} }),
  }
}

const hiddenFrom = (actor: Actor, event: Named): Hidden => {
  if (event.name !== 'chats') return { agent: false, context: false }
  const reader = readerWith(actor, 'agents:read')
  return {
    agent: event.agentOwner !== undefined && mayRead(reader, event.agentOwner) !== 'yes',
    context: !mayReadContext(actor, event.data),
  }
}

/** Published events contain the agent and the context; a reader gets the parts that a single read would return. */
const namedFor = (actor: Actor, event: Named): StreamEvent => {
  const { name, data } = event
  const hidden = hiddenFrom(actor, event)
  const key = `${hidden.agent} ${hidden.context}`
  const known = named.get(event) ?? new Map<string, StreamEvent>()
  named.set(event, known)
  const shown = hidden.agent || hidden.context ? withoutParts(data, hidden) : data
  const made = known.get(key) ?? { type: 'update', name, data: shown }
  known.set(key, made)
  return made
}

const recentMs = 10_000

/** The chat, then the messages of the current or latest run; afterwards only changes. */
export const streamChat = async (ctx: Ctx<Actor>, id: string): Promise<EventStream> => {
  const found = await readableChat(ctx, id)
  const chatId = found.id
  const assertStillReadable = createReadCheck(ctx, found)
  const load = async (since: number | null): Promise<LoadedEvents> => {
    const { state, shown } = await readSnapshot(ctx.db, async (db) => {
      const state = await findChatState(db, chatId)
      if (!state) return { state, shown: [] }
      const messages =
        since === null
          ? await recentMessages(db, state.chat, ctx.now())
          : await store.findMessagesSince(db, chatId, since)
      return { state, shown: await messageEvents(db, state.chat, messages) }
    })
    await assertStillReadable(state?.chat)
    if (!state) throw fail('not_found', 'Chat not found')
    const snapshot: ChatEvent = { name: 'chats', data: await chatDetails(ctx, state, { withFloor: false }) }
    return { seq: state.chat.event_seq, events: since === null ? [snapshot, ...shown] : [...shown, snapshot] }
  }
  return {
    single: false,
    open: (signal) =>
      untilRevoked(
        followChat(
          ctx.bus,
          {
            chatId,
            assertStillReadable,
            load,
            pick: (event) =>
              event.name === 'agent_event' ? undefined : { event: namedFor(ctx.actor, event), ends: false },
            wantsDeltas: () => true,
          },
          signal,
        ),
      ),
  }
}

/**
 * A reader who loses access to the chat gets the end of the stream, as with a revoked credential; the next request is
 * rejected.
 */
async function* untilRevoked(events: AsyncGenerator<StreamEvent>): AsyncGenerator<StreamEvent> {
  try {
    yield* events
  } catch (error) {
    if (!isFailure(error, 'not_found')) throw error
  }
}

const messageEvents = async (db: Db, chat: store.ChatRow, rows: readonly store.MessageRow[]) => {
  const calls = await store.findCallsOfMessages(
    db,
    rows.map((row) => row.id),
  )
  return rows.map((row) => withCalls(row, calls, chat))
}

const withCalls = (row: store.MessageRow, calls: readonly store.CallRow[], chat: store.ChatRow): ChatEvent =>
  messageEvent(
    row,
    calls.filter((call) => call.chat_message_id === row.id),
    chat,
  )

const recentMessages = async (db: Db, chat: store.ChatRow, now: Date): Promise<store.MessageRow[]> => {
  const run = await store.findLatestRun(db, chat.id)
  if (!run) return []
  const endedMs = run.finished_at === null ? null : Date.parse(run.finished_at)
  const isRecent = endedMs === null || now.getTime() - endedMs < recentMs
  return isRecent ? store.findMessagesOfRun(db, chat.id, run.id) : []
}

const readableMessage = async (ctx: Ctx<Actor>, id: string) => {
  const message = await store.findMessage(ctx.db, id)
  const chat = message && (await store.findChat(ctx.db, message.chat_id))
  if (!message || !chat) throw fail('not_found', 'Message not found')
  await assertChatReadable(ctx, chat).catch(() => {
    throw fail('not_found', 'Message not found')
  })
  return { message, chat }
}

/** One message until it is complete. */
export const streamMessage = async (ctx: Ctx<Actor>, id: string, lastSeen: number | null): Promise<EventStream> => {
  const { message, chat } = await readableMessage(ctx, id)
  const assertStillReadable = createReadCheck(ctx, chat)
  const load = async (): Promise<LoadedEvents> => {
    const { current, events } = await readSnapshot(ctx.db, async (db) => {
      const current = await store.findChat(db, chat.id)
      const row = await store.findMessage(db, message.id)
      return { current, events: row && current ? await messageEvents(db, current, [row]) : [] }
    })
    await assertStillReadable(current)
    if (!current || events.length === 0) throw fail('not_found', 'Message not found')
    return { seq: current.event_seq, events }
  }
  return {
    single: true,
    finished: isMessageOver(message.status) && lastSeen !== null && lastSeen >= message.event_seq,
    open: (signal) =>
      followChat(
        ctx.bus,
        {
          chatId: chat.id,
          assertStillReadable,
          load,
          pick: (event) =>
            event.name === 'chat_messages' && event.data.id === message.id
              ? { event: { type: 'update', data: event.data }, ends: isMessageOver(event.status) }
              : undefined,
          wantsDeltas: (event) => event.data.id === message.id,
        },
        signal,
      ),
  }
}

const runEvent = (run: store.RunRow, pending: readonly InterruptRow[], chat: store.ChatRow): ChatEvent => ({
  name: 'agent_runs',
  data: runDto(run, chat, pending),
  state: run.state,
})

/** The model's text is sent twice: as deltas of the message, and as events of the run. */
async function* withContentEvents(
  ctx: Ctx<Actor>,
  run: store.RunRow,
  events: AsyncGenerator<StreamEvent>,
): AsyncGenerator<StreamEvent> {
  for await (const event of events) {
    yield event
    if (event.type !== 'delta') continue
    for (const content of contentOfDelta(event.data))
      yield { type: 'update', name: 'agent_event', data: agentEventDto(content, run, wireTime(ctx.now())) }
  }
}

/** A run and its events until it is over. */
export const streamRun = async (ctx: Ctx<Actor>, id: string, lastSeen: number | null): Promise<EventStream> => {
  const { run, chat } = await readableRun(ctx, id)
  const assertStillReadable = createReadCheck(ctx, chat)
  const load = async (): Promise<LoadedEvents> => {
    const found = await findRunWithChat(ctx.db, run.id)
    await assertStillReadable(found?.chat)
    if (!found) throw fail('not_found', 'Run not found')
    const { chat: current } = found
    // Not shown in the snapshot, but its deltas are followed: a turn that started before the reader connected.
    const open = found.messages.filter(({ status }) => !isMessageOver(status))
    const openMessages = open.map((row) => withCalls(row, found.calls, current))
    return { seq: current.event_seq, events: [runEvent(found.run, found.interrupts, current), ...openMessages] }
  }
  return {
    single: true,
    finished: isRunOver(run.state) && lastSeen !== null && lastSeen >= run.event_seq,
    open: (signal) =>
      withContentEvents(
        ctx,
        run,
        followChat(
          ctx.bus,
          {
            chatId: chat.id,
            assertStillReadable,
            load,
            pick: (event) => {
              if (event.name === 'agent_runs' && event.data.id === run.id)
                return { event: { type: 'update', data: event.data }, ends: isRunOver(event.state) }
              if (event.name === 'agent_event' && event.runId === run.id)
                return { event: { type: 'update', name: 'agent_event', data: event.data }, ends: false }
              return undefined
            },
            wantsDeltas: (event) => event.runId === run.id,
          },
          signal,
        ),
      ),
  }
}

type Answer = { id: string; chat_id: string; agent_run_id: string; task_id?: string | null }

/** The answers of a run as they are written, until the run is over. */
export const streamAnswers = async (ctx: Ctx<Actor>, answer: Answer): Promise<EventStream> => {
  const { id: messageId, chat_id: chatId, agent_run_id: runId, task_id: taskId } = answer
  const assertStillReadable = createReadCheck(ctx)
  const load = async (since: number | null): Promise<LoadedEvents> => {
    const found = await findRunWithChat(ctx.db, runId)
    await assertStillReadable(found?.chat)
    if (!found) throw fail('not_found', 'Run not found')
    const { chat, run, messages, calls, interrupts } = found
    const shown = messages.filter((row) => row.role === 'assistant' && row.event_seq > (since ?? 0))
    return {
      seq: chat.event_seq,
      events: [...shown.map((row) => withCalls(row, calls, chat)), runEvent(run, interrupts, chat)],
    }
  }
  return {
    single: true,
    open: (signal) =>
      untilOver(
        followChat(
          ctx.bus,
          {
            chatId,
            assertStillReadable,
            load,
            pick: (event) => {
              if (event.name === 'chat_messages' && event.runId === runId && event.role === 'assistant')
                return { event: { type: 'update', data: event.data }, ends: false }
              if (event.name === 'agent_runs' && event.data.id === runId && isRunOver(event.state))
                return { event: { type: 'update', name: 'over', data: {} }, ends: true }
              return undefined
            },
            wantsDeltas: (event) => event.runId === runId,
            ...(taskId ? { begun: { messageId, taskId } } : {}),
          },
          signal,
        ),
      ),
  }
}

/** The end of the run ends the stream and is not sent as a message. */
async function* untilOver(events: AsyncGenerator<StreamEvent>): AsyncGenerator<StreamEvent> {
  for await (const event of events) {
    if (event.type === 'update' && event.name === 'over') return
    yield event
  }
}
