// Who listens on this server, and how long each has heard nothing.
import type { Subject } from '../core/subject.ts'
import { apart } from '../fairness/work.ts'
import type { ListenOptions, Unsubscribe } from './bus.ts'

type Listener = { hear: (data: never) => void; onQuiet: (() => void) | undefined; heardMs: number }

export type Listeners = {
  deliver(subject: string, data: unknown): void
  isHeard(subject: string): boolean
  subscribe<P>(subject: Subject<P>, listener: (data: P) => void, options?: ListenOptions): Unsubscribe
  /** Lets those look again who have heard nothing since then. */
  lookAgain(quietSinceMs: number): void
  /** Every subject that is listened to. */
  subjects(): Iterable<string>
}

export type ListenersOptions = {
  onError: (error: unknown) => void
  nowMs?: () => number
  /** The first listener of a subject has come, or the last has gone. */
  onInterest?: (subject: string, isHeard: boolean) => void
}

export const createListeners = ({
  onError,
  nowMs = () => performance.now(),
  onInterest,
}: ListenersOptions): Listeners => {
  const listeners = new Map<string, Set<Listener>>()

  // One listener's fault must not keep the news from the others, and none of them works for who happened to publish.
  const call = (work: () => void): void => {
    try {
      apart(work)
    } catch (error) {
      onError(error)
    }
  }

  return {
    deliver: (subject, data) => {
      const set = listeners.get(subject)
      if (!set) return
      const heardMs = nowMs()
      for (const listener of set) {
        listener.heardMs = heardMs
        call(() => listener.hear(data as never))
      }
    },
    isHeard: (subject) => listeners.has(subject),
    subscribe: (subject, hear, { onQuiet } = {}) => {
      const known = listeners.get(subject)
      const set = known ?? new Set()
      const listener: Listener = { hear, onQuiet, heardMs: nowMs() }
      listeners.set(subject, set.add(listener))
      if (!known) onInterest?.(subject, true)
      return () => {
        if (!set.delete(listener) || set.size > 0 || listeners.get(subject) !== set) return
        listeners.delete(subject)
        onInterest?.(subject, false)
      }
    },
    lookAgain: (quietSinceMs) => {
      for (const set of listeners.values())
        for (const listener of set) {
          if (!listener.onQuiet || listener.heardMs > quietSinceMs) continue
          listener.heardMs = nowMs()
          call(listener.onQuiet)
        }
    },
    subjects: () => listeners.keys(),
  }
}
