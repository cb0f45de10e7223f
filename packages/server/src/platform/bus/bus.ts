// Carries news from the transaction that committed it to whoever is listening right now, on this server and on the
// others. Nothing durable lives here: a listener may be told twice, late or never, and reads the database.
import type { Subject } from '../core/subject.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly bus: Bus
  }
}

export type Unsubscribe = () => void

export type ListenOptions = {
  /**
   * Nothing was heard for a while, and something may have been missed: the last of several messages leaves no gap when
   * it is lost. Never called where there is one server only.
   */
  onQuiet?: () => void
}

export type Bus = {
  publish<P>(subject: Subject<P>, data: NoInfer<P>): void
  /** Whether anyone listens on this server: news that nobody hears here need not be made at length. */
  isHeard(subject: Subject<unknown>): boolean
  subscribe<P>(subject: Subject<P>, listener: (data: P) => void, options?: ListenOptions): Unsubscribe
  /**
   * To be awaited between subscribing and reading what the news is about: what is sent from then on arrives. Undefined
   * where that is so at once.
   */
  settled(): Promise<void> | undefined
}
