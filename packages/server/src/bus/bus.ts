// Carries news from the transaction that committed it to whoever is listening right now. Nothing durable lives here:
// a listener that was away reads the database.

declare module '../core/ctx.ts' {
  interface Platform {
    readonly bus: Bus
  }
}

export type Unsubscribe = () => void

export type Bus = {
  publish(subject: string, data: unknown): void
  /** Whether anyone listens: news that nobody hears need not be made at length. */
  isHeard(subject: string): boolean
  subscribe(subject: string, listener: (data: unknown) => void): Unsubscribe
}
