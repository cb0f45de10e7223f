// Streams the messages of a subject without history. A reader that is too slow is disconnected and
// reconnects, so memory is bounded.
import type { Subject } from '../core/subject.ts'
import type { Bus } from './bus.ts'

const backlogLimit = 1_024

export async function* topicStream<T>(bus: Bus, subject: Subject<T>, signal: AbortSignal): AsyncGenerator<T> {
  let backlog: T[] = []
  let overflowed = false
  let wake: () => void = () => {}
  const unsubscribe = bus.subscribe(subject, (message) => {
    if (backlog.length >= backlogLimit) overflowed = true
    else backlog.push(message)
    wake()
  })
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    while (!signal.aborted) {
      if (overflowed) throw new Error('The reader is too slow')
      if (backlog.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const messages = backlog
      backlog = []
      yield* messages
    }
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', onAbort)
  }
}
