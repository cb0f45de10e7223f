// The retry schedule of completion webhooks. Pure: randomness is an argument.
import type { WebhookAttempt } from '@millrace/contract/tasks'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Delays between attempts: short ones for a brief failure, then up to days for an outage. */
const delaysMs = [
  5 * second,
  30 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const

export const attemptsPerRound = delaysMs.length + 1

/** Long delays get up to 20 % of jitter, so that deliveries that failed together do not retry together. */
const spread = 0.2

/** The delay after the given number of attempts; null after the last one. `chance` is between 0 and 1. */
export const delayAfter = (attempts: number, chance: number): number | null => {
  const wait = delaysMs[attempts - 1]
  if (wait === undefined) return null
  return wait < 5 * minute ? wait : Math.round(wait * (1 + spread * chance))
}

/** The reason not to retry, independent of the schedule; empty if a retry is allowed. */
export const refusalOf = ({ status_code: status }: WebhookAttempt, isForbidden: boolean): string => {
  if (isForbidden) return 'The server may not connect to this address'
  return status === 410 ? 'The receiver answered 410 Gone' : ''
}

export const exhausted = (last: WebhookAttempt): string =>
  `${attemptsPerRound} attempts failed; the last error was: ${last.error || `HTTP ${last.status_code}`}`
