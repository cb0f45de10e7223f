// A look at what is overdue, again and again until it is stopped: never two at a time, and one that fails is followed by the
// next.
import type { Platform } from './ctx.ts'

type Watch = {
  everyMs: number
  look: () => Promise<void>
  /** What the log says of a look that failed. */
  failed: string
}

/** Returns what stops it and waits for the look that is under way. */
export const startWatch = ({ log }: Pick<Platform, 'log'>, { everyMs, look, failed }: Watch): (() => Promise<void>) => {
  let underway: Promise<void> | null = null
  const timer = setInterval(() => {
    underway ??= Promise.resolve()
      .then(look)
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
