// The listeners of this server, with the time of the last message of each.
import type { Subject } from '../core/subject.ts'
import { asSharedWork } from '../fairness/work.ts'
import type { ListenOptions, Unsubscribe } from './bus.ts'

type Listener = { handler: (data: never) => void; onQuiet: (() => void) | undefined; lastMessageMs: number }

export type Listeners = {
  deliver(subject: string, data: unknown): void
  hasListener(subject: string): boolean
  subscribe<P>(subject: Subject<P>, listener: (data: P) => void, options?: ListenOptions): Unsubscribe
  /** Calls `onQuiet` of listeners without a message since then. */
  notifyQuiet(quietSinceMs: number): void
  /** All subjects with a listener. */
  subjects(): Iterable<string>
}

export type ListenersOptions = {
  onError: (error: unknown) => void
  nowMs?: () => number
  /** Called when a subject gets its first listener or loses its last one. */
  onInterest?: (subject: string, hasListener: boolean) => void
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
      asSharedWork(work)
    } catch (error) {
      onError(error)
    }
  }

  return {
    deliver: (subject, data) => {
      const set = listeners.get(subject)
      if (!set) return
      const receivedMs = nowMs()
      for (const listener of set) {
        listener.lastMessageMs = receivedMs
        call(() => listener.handler(data as never))
      }
    },
    hasListener: (subject) => listeners.has(subject),
    subscribe: (subject, handler, { onQuiet } = {}) => {
      const known = listeners.get(subject)
      const set = known ?? new Set()
      const listener: Listener = { handler, onQuiet, lastMessageMs: nowMs() }
      listeners.set(subject, set.add(listener))
      if (!known) onInterest?.(subject, true)
      return () => {
        if (!set.delete(listener) || set.size > 0 || listeners.get(subject) !== set) return
        listeners.delete(subject)
        onInterest?.(subject, false)
      }
    },
    notifyQuiet: (quietSinceMs) => {
      for (const set of listeners.values())
        for (const listener of set) {
          if (!listener.onQuiet || listener.lastMessageMs > quietSinceMs) continue
          listener.lastMessageMs = nowMs()
          call(listener.onQuiet)
        }
    },
    subjects: () => listeners.keys(),
  }
}
