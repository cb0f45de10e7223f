// The stream of one resource that changes by numbered steps: a snapshot first, then every later change once and in
// order. A reader that falls too far behind gets a fresh snapshot instead of a backlog, so memory stays bounded.
import Type from 'typebox'
import { type Subject, subjectOf } from '../core/subject.ts'
import type { Bus } from './bus.ts'
import { createInbox } from './inbox.ts'

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

const wholeEvent = ({ seq, data }: Snapshot): ResourceEvent => ({ type: 'update', id: seq, data })

/** It must hold everything that a reader may still ask for. */
const lastEvent = async (source: ResourceSource, news: ResourceChange): Promise<ResourceEvent> =>
  news.whole === undefined ? wholeEvent(await source.load()) : wholeOf(news as ResourceChange & { whole: object })

export async function* resourceStream(
  bus: Bus,
  source: ResourceSource,
  signal: AbortSignal,
): AsyncGenerator<ResourceEvent> {
  const inbox = createInbox<ResourceNews>({ items: backlogLimit, bytes: backlogBytesLimit }, signal)
  const unsubscribe = bus.subscribe(source.subject, (news) => inbox.put(news, news.weightBytes), {
    onQuiet: inbox.lookAgain,
  })
  try {
    // Subscribed before the snapshot is read: nothing can fall between the two.
    const settling = bus.settled()
    if (settling) await settling
    let snapshot = source.known?.() ?? (await source.load())
    yield wholeEvent(snapshot)
    let seen = snapshot.seq
    while (!snapshot.terminal && !signal.aborted) {
      const { items, dropped, doubted } = await inbox.take()
      if (dropped || doubted || items.some((news, index) => 'seq' in news && isGap(items, index, seen))) {
        snapshot = await source.load()
        if (snapshot.seq > seen) yield wholeEvent(snapshot)
        seen = Math.max(seen, snapshot.seq)
        continue
      }
      for (const news of items) {
        if (!('seq' in news)) {
          yield deltaOf(news)
          continue
        }
        if (news.seq <= seen || news.data === undefined) continue
        seen = news.seq
        if (source.isTerminal(news.data)) {
          yield await lastEvent(source, news)
          return
        }
        yield eventOf(news as ResourceChange & { data: object })
      }
    }
  } finally {
    unsubscribe()
    inbox.close()
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
