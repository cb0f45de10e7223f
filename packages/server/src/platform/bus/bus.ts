// Publishes committed events to current listeners on this and other servers. Not durable: a message may arrive twice,
// late or never, so listeners read the database.
import type { Subject } from '../core/subject.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly bus: Bus
  }
}

export type Unsubscribe = () => void

export type ListenOptions = {
  /**
   * Nothing was received for a while, so a message may be missing: the loss of the last message leaves no gap. Never
   * called on a single server.
   */
  onQuiet?: () => void
}

export type Bus = {
  publish<P>(subject: Subject<P>, data: NoInfer<P>): void
  /** Whether this server has a listener; otherwise the message need not be built. */
  hasListener(subject: Subject<unknown>): boolean
  subscribe<P>(subject: Subject<P>, listener: (data: P) => void, options?: ListenOptions): Unsubscribe
  /**
   * Awaited between subscribing and reading the current state: messages sent afterwards arrive. Undefined if the
   * subscription is in effect at once.
   */
  settled(): Promise<void> | undefined
}
