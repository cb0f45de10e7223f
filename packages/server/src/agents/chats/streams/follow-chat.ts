// Follows a chat for one reader: the snapshot, then every change once and in order. Deltas are published by the task of
// the model's turn and delivered under the message's id.

import { taskSubject } from '#execution/tasks/service.ts'
import type { Bus } from '#platform/bus/bus.ts'
import { createInbox } from '#platform/bus/inbox.ts'
import type { StreamEvent } from '#platform/core/event-stream.ts'
import type { ReadCheck } from '../access.ts'
import type { ChatEvent, ChatUpdate } from './events.ts'
import { chatSubject } from './subjects.ts'

export const isMessageOver = (status: string): boolean =>
  status === 'ready' || status === 'failed' || status === 'cancelled'

export type LoadedEvents = { seq: number; events: readonly ChatEvent[] }

export type ChatReader = {
  chatId: string
  /** Checked before each event: the reader may have lost access. */
  assertStillReadable: ReadCheck
  /** The snapshot (`since` null), or the events after a number. */
  load(since: number | null): Promise<LoadedEvents>
  /** Filters and converts an event for this reader; `ends` marks the last event. */
  pick(event: ChatEvent): { event: StreamEvent; ends: boolean } | undefined
  /** True if the reader receives the deltas of this message. */
  wantsDeltas(event: Extract<ChatEvent, { name: 'chat_messages' }>): boolean
  /** An answer that is already being written: its deltas are followed from the start. */
  begun?: { messageId: string; taskId: string }
}

const backlogLimit = 512

type DeltaUpdate = { delta?: object }
type DeltaEvent = Extract<StreamEvent, { type: 'delta' }> & { data: { resource_id: string } }
type Pending = { update: ChatUpdate } | { delta: DeltaEvent }

/** Created once and shared by all readers, so that each event is serialized once. */
const sharedDeltas = new WeakMap<object, Map<string, DeltaEvent>>()

const deltaEvent = (update: object, delta: object, messageId: string): DeltaEvent => {
  const known = sharedDeltas.get(update) ?? new Map<string, DeltaEvent>()
  sharedDeltas.set(update, known)
  const event: DeltaEvent = known.get(messageId) ?? { type: 'delta', data: { ...delta, resource_id: messageId } }
  known.set(messageId, event)
  return event
}

/** Subscribes to the tasks of active model turns. */
const turnFollower = (bus: Bus, { wantsDeltas, begun }: ChatReader, onDelta: (delta: DeltaEvent) => void) => {
  const subscriptions = new Map<string, () => void>()
  const follow = (messageId: string, taskId: string): void => {
    if (subscriptions.has(taskId)) return
    const stop = bus.subscribe(taskSubject(taskId), (message) => {
      const { delta } = message as DeltaUpdate
      if (delta) onDelta(deltaEvent(message as object, delta, messageId))
    })
    subscriptions.set(taskId, stop)
  }
  if (begun) follow(begun.messageId, begun.taskId)
  return {
    watch: (events: readonly ChatEvent[]): void => {
      for (const event of events) {
        if (event.name !== 'chat_messages' || event.taskId === null || !wantsDeltas(event)) continue
        if (!isMessageOver(event.status)) {
          follow(event.data.id, event.taskId)
          continue
        }
        subscriptions.get(event.taskId)?.()
        subscriptions.delete(event.taskId)
      }
    },
    close: (): void => {
      for (const stop of subscriptions.values()) stop()
    },
  }
}

/** Yields the events for this reader; returns true after the last one. */
function* show(reader: ChatReader, events: readonly ChatEvent[], seq: number): Generator<StreamEvent, boolean> {
  for (const event of events) {
    const picked = reader.pick(event)
    if (!picked) continue
    yield withId(picked.event, seq)
    if (picked.ends) return true
  }
  return false
}

/** Messages that the snapshot shows complete; later deltas of them are dropped. */
const completeMessages = ({ events }: LoadedEvents): ReadonlySet<string> =>
  new Set(
    events.flatMap((event) => (event.name === 'chat_messages' && isMessageOver(event.status) ? [event.data.id] : [])),
  )

export async function* followChat(bus: Bus, reader: ChatReader, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const inbox = createInbox<Pending>({ items: backlogLimit }, signal)
  const turns = turnFollower(bus, reader, (delta) => inbox.put({ delta }))
  const onUpdate = (update: ChatUpdate): void => {
    // Subscribe now, not when the reader consumes the event, so that no delta is lost.
    if (update.events) turns.watch(update.events)
    inbox.put({ update })
  }
  const unsubscribe = bus.subscribe(chatSubject(reader.chatId), onUpdate, { onQuiet: inbox.requestReload })
  let seen: number | null = null
  let over: ReadonlySet<string> = new Set()
  try {
    await bus.settled()
    inbox.requestReload()
    while (!signal.aborted) {
      const { items, dropped, mayHaveMissed } = await inbox.take()
      if (dropped || mayHaveMissed) {
        const loaded = await reader.load(seen)
        over = completeMessages(loaded)
        // If nothing was dropped and nothing is new, there is nothing to show.
        if (dropped || seen === null || loaded.seq > seen) {
          turns.watch(loaded.events)
          seen = loaded.seq
          if (yield* show(reader, loaded.events, seen)) return
        }
      }
      for (const item of items) {
        if ('delta' in item) {
          if (!over.has(item.delta.data.resource_id)) yield item.delta
          continue
        }
        const { seq, of, events } = item.update
        if (seen !== null && seq <= seen) continue
        if (of) await reader.assertStillReadable(of)
        // Servers of an older version do not send the access columns; reload in that case.
        if (seen === null || seq > seen + 1 || !of || !events) {
          inbox.requestReload()
          break
        }
        seen = seq
        if (yield* show(reader, events, seq)) return
      }
    }
  } finally {
    unsubscribe()
    turns.close()
    inbox.close()
  }
}

/** The event is shared between readers, so it is copied. Only events of single resources carry numbers. */
const withId = (event: StreamEvent, id: number): StreamEvent =>
  event.type === 'update' && event.name === undefined ? { ...event, id } : event
