// News of a subject as they come: nothing before, nothing again. A reader that falls too far behind is cut off and comes
// back by itself, so memory stays bounded.
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
      if (overflowed) throw new Error('The reader fell too far behind')
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
