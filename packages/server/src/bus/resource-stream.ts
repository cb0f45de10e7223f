// The stream of one resource that changes by numbered steps: a snapshot first, then every later change once and in
// order. A reader that falls too far behind gets a fresh snapshot instead of a backlog, so memory stays bounded.
import Type from 'typebox'
import { type Subject, subjectOf } from '../core/subject.ts'
import type { Bus } from './bus.ts'

/** What is published when a resource changes. `seq` counts the changes of that resource from 1. */
export type ResourceChange = {
  readonly seq: number
  /** `id` plus the changed fields; left out when the change is too large to carry: readers then load it. */
  readonly data?: object
  readonly fields?: readonly string[]
  /** The whole resource, where the change ends its life and it was at hand: readers then need not load it. */
  readonly whole?: object
  /** About how much memory this holds, where that is more than a little. */
  readonly weightBytes?: number
}

export type Delta = { readonly delta: object; readonly weightBytes?: number }

export type ResourceNews = ResourceChange | Delta

/** The news of a resource by its id. A change that is too large to travel travels as its number: readers load it. */
export const resourceSubject = (name: string) =>
  subjectOf(
    name,
    'everyone',
    Type.Unsafe<ResourceNews>(
      Type.Union([Type.Object({ seq: Type.Integer() }), Type.Object({ delta: Type.Object({}) })]),
    ),
    { brief: (news) => ('seq' in news ? { seq: news.seq } : news) },
  )

export type Snapshot = { readonly seq: number; readonly data: object; readonly terminal: boolean }

export type ResourceEvent =
  | { readonly type: 'update'; readonly id: number; readonly data: object; readonly fields?: readonly string[] }
  | { readonly type: 'delta'; readonly data: object }

export type ResourceSource = {
  readonly subject: Subject<ResourceNews>
  load(): Promise<Snapshot>
  /** The resource as it is this very moment, where that is known without loading it. */
  known?(): Snapshot | undefined
  /** Whether a partial change ends the resource's life; its event is then sent whole. */
  isTerminal(data: object): boolean
}

const backlogLimit = 256
/** What a reader that does not read may have waiting; the values themselves are shared by all readers. */
export const backlogBytesLimit = 4 * 1024 * 1024

/** Partial events are made once and shared by all readers, so that their text is made once too. */
const shared = new WeakMap<object, ResourceEvent>()

const eventOf = (change: ResourceChange & { data: object }): ResourceEvent => {
  const known = shared.get(change)
  if (known) return known
  const event: ResourceEvent = { type: 'update', id: change.seq, data: change.data, fields: change.fields }
  shared.set(change, event)
  return event
}

const wholeOf = (change: ResourceChange & { whole: object }): ResourceEvent => {
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

export async function* resourceStream(
  bus: Bus,
  source: ResourceSource,
  signal: AbortSignal,
): AsyncGenerator<ResourceEvent> {
  let backlog: ResourceNews[] = []
  let backlogBytes = 0
  let overflowed = false
  let wake: () => void = () => {}
  const lookAgain = (): void => {
    overflowed = true
    backlog = []
    wake()
  }
  const unsubscribe = bus.subscribe(
    source.subject,
    (message) => {
      const { weightBytes = 0 } = message
      const isTooMuch = backlog.length > 0 && backlogBytes + weightBytes > backlogBytesLimit
      if (backlog.length >= backlogLimit || isTooMuch) return lookAgain()
      if (!overflowed) {
        backlog.push(message)
        backlogBytes += weightBytes
      }
      wake()
    },
    { onQuiet: lookAgain },
  )
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    // Subscribed before the snapshot is read: nothing can fall between the two.
    const settling = bus.settled()
    if (settling) await settling
    let snapshot = source.known?.() ?? (await source.load())
    yield { type: 'update', id: snapshot.seq, data: snapshot.data }
    let seen = snapshot.seq
    while (!snapshot.terminal && !signal.aborted) {
      if (backlog.length === 0 && !overflowed) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const messages = backlog
      backlog = []
      backlogBytes = 0
      const resync = overflowed || messages.some((message, index) => 'seq' in message && isGap(messages, index, seen))
      if (resync) {
        overflowed = false
        snapshot = await source.load()
        if (snapshot.seq > seen) yield { type: 'update', id: snapshot.seq, data: snapshot.data }
        seen = Math.max(seen, snapshot.seq)
        continue
      }
      for (const message of messages) {
        if (!('seq' in message)) {
          yield deltaOf(message)
          continue
        }
        if (message.seq <= seen || message.data === undefined) continue
        seen = message.seq
        if (source.isTerminal(message.data)) {
          // The terminal event must hold everything a reader may still ask for.
          if (message.whole !== undefined) {
            yield wholeOf(message as ResourceChange & { whole: object })
            return
          }
          snapshot = await source.load()
          yield { type: 'update', id: snapshot.seq, data: snapshot.data }
          return
        }
        yield eventOf(message as ResourceChange & { data: object })
      }
    }
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', onAbort)
  }
}

/** A change that does not follow the one before it, or that came without its data. */
const isGap = (messages: readonly ResourceNews[], index: number, seen: number): boolean => {
  const message = messages[index] as ResourceChange
  if (message.seq <= seen) return false
  if (message.data === undefined) return true
  const before = messages
    .slice(0, index)
    .findLast((other): other is ResourceChange => 'seq' in other && other.seq > seen)
  return message.seq !== (before?.seq ?? seen) + 1
}
