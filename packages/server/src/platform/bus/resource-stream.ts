// Streams the numbered changes of one resource: a snapshot, then every later change once and in order. A reader that is
// too slow gets a new snapshot instead of a backlog, so memory is bounded.
import Type from 'typebox'
import { type Subject, subjectOf } from '../core/subject.ts'
import type { Bus } from './bus.ts'
import { createInbox } from './inbox.ts'

/** Published when a resource changes. `seq` counts the changes of that resource from 1. */
export type ResourceChange = {
  readonly seq: number
  /** `id` and the changed fields; omitted if too large, so readers load the resource. */
  readonly data?: object
  readonly fields?: readonly string[]
  /** The whole resource, for a terminal change that has it available; readers then need not load it. */
  readonly whole?: object
  /** Approximate memory use, if it is large. */
  readonly weightBytes?: number
}

export type Delta = { readonly delta: object; readonly weightBytes?: number }

export type ResourceUpdate = ResourceChange | Delta

/** The subject of a resource's changes by its id. For a change that is too large, only its number is sent. */
export const resourceSubject = (name: string) =>
  subjectOf(
    name,
    'everyone',
    Type.Unsafe<ResourceUpdate>(
      Type.Union([Type.Object({ seq: Type.Integer() }), Type.Object({ delta: Type.Object({}) })]),
    ),
    { brief: (update) => ('seq' in update ? { seq: update.seq } : update) },
  )

export type Snapshot = { readonly seq: number; readonly data: object; readonly terminal: boolean }

export type ResourceEvent =
  | { readonly type: 'update'; readonly id: number; readonly data: object; readonly fields?: readonly string[] }
  | { readonly type: 'delta'; readonly data: object }

export type ResourceSource = {
  readonly subject: Subject<ResourceUpdate>
  load(): Promise<Snapshot>
  /** The current state if it is available without a query. */
  known?(): Snapshot | undefined
  /** Whether a partial change is terminal; its event is then sent as a whole resource. */
  isTerminal(data: object): boolean
}

const backlogLimit = 256
/** Limit of the backlog of a slow reader. Values are shared by all readers. */
export const backlogBytesLimit = 4 * 1024 * 1024

/** Partial events are shared by all readers, so that they are serialized once. */
const shared = new WeakMap<object, ResourceEvent>()

const eventOf = (change: ResourceChange & { data: object }): ResourceEvent => {
  const known = shared.get(change)
  if (known) return known
  const event: ResourceEvent = { type: 'update', id: change.seq, data: change.data, fields: change.fields }
  shared.set(change, event)
  return event
}

const fullChangeEvent = (change: ResourceChange & { whole: object }): ResourceEvent => {
  const known = shared.get(change.whole)
  if (known) return known
  const event: ResourceEvent = { type: 'update', id: change.seq, data: change.whole }
  shared.set(change.whole, event)
  return event
}

const deltaOf = (message: Delta): ResourceEvent => {
  const known = shared.get(message)
  if (known) return known
  const event: ResourceEvent = { type: 'delta', data: message.delta }
  shared.set(message, event)
  return event
}

const snapshotEvent = ({ seq, data }: Snapshot): ResourceEvent => ({ type: 'update', id: seq, data })

/** Must contain everything that a reader may need. */
const lastEvent = async (source: ResourceSource, update: ResourceChange): Promise<ResourceEvent> =>
  update.whole === undefined
    ? snapshotEvent(await source.load())
    : fullChangeEvent(update as ResourceChange & { whole: object })

export async function* resourceStream(
  bus: Bus,
  source: ResourceSource,
  signal: AbortSignal,
): AsyncGenerator<ResourceEvent> {
  const inbox = createInbox<ResourceUpdate>({ items: backlogLimit, bytes: backlogBytesLimit }, signal)
  const unsubscribe = bus.subscribe(source.subject, (update) => inbox.put(update, update.weightBytes), {
    onQuiet: inbox.requestReload,
  })
  try {
    // Subscribed before the snapshot is read, so that no change is missed.
    const settling = bus.settled()
    if (settling) await settling
    let snapshot = source.known?.() ?? (await source.load())
    yield snapshotEvent(snapshot)
    let seen = snapshot.seq
    while (!snapshot.terminal && !signal.aborted) {
      const { items, dropped, mayHaveMissed } = await inbox.take()
      if (dropped || mayHaveMissed || items.some((update, index) => 'seq' in update && isGap(items, index, seen))) {
        snapshot = await source.load()
        if (snapshot.seq > seen) yield snapshotEvent(snapshot)
        seen = Math.max(seen, snapshot.seq)
        continue
      }
      for (const update of items) {
        if (!('seq' in update)) {
          yield deltaOf(update)
          continue
        }
        if (update.seq <= seen || update.data === undefined) continue
        seen = update.seq
        if (source.isTerminal(update.data)) {
          yield await lastEvent(source, update)
          return
        }
        yield eventOf(update as ResourceChange & { data: object })
      }
    }
  } finally {
    unsubscribe()
    inbox.close()
  }
}

/** A change that does not follow the previous one, or has no data. */
const isGap = (messages: readonly ResourceUpdate[], index: number, seen: number): boolean => {
  const message = messages[index] as ResourceChange
  if (message.seq <= seen) return false
  if (message.data === undefined) return true
  const before = messages
    .slice(0, index)
    .findLast((other): other is ResourceChange => 'seq' in other && other.seq > seen)
  return message.seq !== (before?.seq ?? seen) + 1
}
