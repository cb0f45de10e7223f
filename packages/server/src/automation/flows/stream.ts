// The stream of a flow for concurrent editors: the whole flow on connect and after every other change, and each applied
// batch of actions in order of versions. It never ends by itself.
import type { FlowActionsEvent } from '@millrace/contract/flows'
import type { Bus } from '#platform/bus/bus.ts'
import type { StreamEvent } from '#platform/core/event-stream.ts'
import type { Subject } from '#platform/core/subject.ts'
import type { FlowUpdate } from './subjects.ts'

/** The flow as this reader sees it, with the number of its last batch. */
export type FlowSnapshot = { version: number; data: object }

const backlogLimit = 256

export async function* flowEvents(
  bus: Bus,
  subject: Subject<FlowUpdate>,
  load: () => Promise<FlowSnapshot>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  let backlog: FlowUpdate[] = []
  let wake: () => void = () => {}
  const onUpdate = (update: FlowUpdate): void => {
    // A slow reader gets the current flow instead.
    if (backlog.length >= backlogLimit) backlog = [{ changed: true }]
    backlog.push(update)
    wake()
  }
  let mayHaveMissed = false
  const unsubscribe = bus.subscribe(subject, onUpdate, {
    onQuiet: () => {
      mayHaveMissed = true
      wake()
    },
  })
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    let snapshot = await Promise.resolve(bus.settled()).then(load)
    yield { type: 'update', id: snapshot.version, data: snapshot.data }
    while (!signal.aborted) {
      if (backlog.length === 0 && mayHaveMissed) {
        mayHaveMissed = false
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

/** The batches after `seen`, each once; `reload` after other changes, or if a batch is missing. */
export const inOrder = (updates: readonly FlowUpdate[], seen: number): FlowActionsEvent[] | 'reload' => {
  const batches: FlowActionsEvent[] = []
  for (const item of updates) {
    if ('changed' in item) return 'reload'
    if (item.actions.version > seen) batches.push(item.actions)
  }
  batches.sort((a, b) => a.version - b.version)
  return batches.every((batch, index) => batch.version === seen + index + 1) ? batches : 'reload'
}
