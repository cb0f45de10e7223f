// When a completion webhook is tried again, and when it is given up. Pure: chance is an argument.
import type { WebhookAttempt } from '@millrace/contract/tasks'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Waits between attempts: quick ones for a hiccup, then over days for an outage. */
const waits = [
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

export const attemptsPerRound = waits.length + 1

/** Long waits vary by a fifth, so that what failed together does not come back together. */
const spread = 0.2

/** Null after the last one. `made` counts the attempts so far; `chance` is from 0 to 1. */
export const waitAfter = (made: number, chance: number): number | null => {
  const wait = waits[made - 1]
  if (wait === undefined) return null
  return wait < 5 * minute ? wait : Math.round(wait * (1 + spread * chance))
}

/** Why it is not tried again, whatever the schedule says; empty when it is. */
export const refusalOf = ({ status_code: status }: WebhookAttempt, isForbidden: boolean): string => {
  if (isForbidden) return 'The address may not be reached from here'
  return status === 410 ? 'The receiver says that the address is gone (410)' : ''
}

export const exhausted = (last: WebhookAttempt): string =>
  `${attemptsPerRound} attempts failed, the last one with: ${last.error || `HTTP ${last.status_code}`}`
