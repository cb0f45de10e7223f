// Polls until stopped: one poll at a time, and a failed poll is followed by the next.
import type { Platform } from './ctx.ts'

type Watch = {
  everyMs: number
  poll: () => Promise<void>
  /** Log message of a failed poll. */
  failed: string
}

/** Returns a function that stops polling and waits for the current poll. */
export const startWatch = ({ log }: Pick<Platform, 'log'>, { everyMs, poll, failed }: Watch): (() => Promise<void>) => {
  let underway: Promise<void> | null = null
  const timer = setInterval(() => {
    underway ??= Promise.resolve()
      .then(poll)
      .catch((error: unknown) => log.error({ err: error }, failed))
      .finally(() => {
        underway = null
      })
  }, everyMs)
  return async () => {
    clearInterval(timer)
    await underway
  }
}
