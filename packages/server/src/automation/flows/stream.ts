// A flow as a stream, for editors that look at it together: the flow on connect and after every change that is not an
// action, and each applied batch of actions in the order of their versions. It has no end of its own.
import type { FlowActionsEvent } from '@millrace/contract/flows'
import type { Bus } from '#platform/bus/bus.ts'
import type { StreamEvent } from '#platform/core/event-stream.ts'
import type { Subject } from '#platform/core/subject.ts'
import type { FlowNews } from './subjects.ts'

/** The flow as this reader sees it, and the number of the last batch that is in it. */
export type FlowSnapshot = { version: number; data: object }

const backlogLimit = 256

export async function* flowEvents(
  bus: Bus,
  subject: Subject<FlowNews>,
  load: () => Promise<FlowSnapshot>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  let backlog: FlowNews[] = []
  let wake: () => void = () => {}
  const hear = (news: FlowNews): void => {
    // A reader that is far behind gets the flow as it is by then.
    if (backlog.length >= backlogLimit) backlog = [{ changed: true }]
    backlog.push(news)
    wake()
  }
  let quiet = false
  const unsubscribe = bus.subscribe(subject, hear, {
    onQuiet: () => {
      quiet = true
      wake()
    },
  })
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    let snapshot = await Promise.resolve(bus.settled()).then(load)
    yield { type: 'update', id: snapshot.version, data: snapshot.data }
    while (!signal.aborted) {
      if (backlog.length === 0 && quiet) {
        quiet = false
        const latest = await load()
        if (latest.version <= snapshot.version) continue
        snapshot = latest
        yield { type: 'update', id: snapshot.version, data: snapshot.data }
        continue
      }
      if (backlog.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const next = inOrder(backlog, snapshot.version)
      backlog = []
      if (next === 'reload') {
        snapshot = await load()
        yield { type: 'update', id: snapshot.version, data: snapshot.data }
        continue
      }
      for (const event of next) {
        snapshot = { ...snapshot, version: event.version }
        yield { type: 'update', name: 'actions', id: event.version, data: event }
      }
    }
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', onAbort)
  }
}

/** The batches that follow `seen`, each once; `reload` when something other than actions happened, or one is missing. */
export const inOrder = (news: readonly FlowNews[], seen: number): FlowActionsEvent[] | 'reload' => {
  const batches: FlowActionsEvent[] = []
  for (const item of news) {
    if ('changed' in item) return 'reload'
    if (item.actions.version > seen) batches.push(item.actions)
  }
  batches.sort((a, b) => a.version - b.version)
  return batches.every((batch, index) => batch.version === seen + index + 1) ? batches : 'reload'
}
