// The listeners of this server, with the time of the last message of each.
import type { Subject } from '../core/subject.ts'
import { apart } from '../fairness/work.ts'
import type { ListenOptions, Unsubscribe } from './bus.ts'

type Listener = { hear: (data: never) => void; onQuiet: (() => void) | undefined; heardMs: number }

export type Listeners = {
  deliver(subject: string, data: unknown): void
  isHeard(subject: string): boolean
  subscribe<P>(subject: Subject<P>, listener: (data: P) => void, options?: ListenOptions): Unsubscribe
  /** Calls `onQuiet` of listeners without a message since then. */
  lookAgain(quietSinceMs: number): void
  /** All subjects with a listener. */
  subjects(): Iterable<string>
}

export type ListenersOptions = {
  onError: (error: unknown) => void
  nowMs?: () => number
  /** Called when a subject gets its first listener or loses its last one. */
  onInterest?: (subject: string, isHeard: boolean) => void
}

export const createListeners = ({
  onError,
  nowMs = () => performance.now(),
  onInterest,
}: ListenersOptions): Listeners => {
  const listeners = new Map<string, Set<Listener>>()

  // An error of one listener must not affect others, and listeners do not run as work of the publisher.
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
