// What a span of a rental costs, to the second. Pure. A debit rounds up, a refund rounds down: never more goes back than came.
import { isDeepStrictEqual } from 'node:util'
import { maxMicrocents } from '@millrace/contract/billing'

const microcentsPerCent = 1_000_000n
const secondsPerHour = 3600n

const product = (hourlyPrice: number, seconds: number): bigint =>
  BigInt(hourlyPrice) * microcentsPerCent * BigInt(seconds)

const bounded = (amount: bigint): number => Number(amount > BigInt(maxMicrocents) ? BigInt(maxMicrocents) : amount)

/** Microcents for every second that was begun. */
export const costOfSpan = (hourlyPrice: number, fromMs: number, toMs: number): number => {
  const seconds = Math.max(0, Math.ceil((toMs - fromMs) / 1000))
  return bounded((product(hourlyPrice, seconds) + secondsPerHour - 1n) / secondsPerHour)
}

/** Microcents for every whole second that was not used, and never more than was paid. */
export const refundOfSpan = (hourlyPrice: number, nowMs: number, endMs: number, paid: number): number => {
  const seconds = Math.max(0, Math.floor((endMs - nowMs) / 1000))
  return Math.min(paid, bounded(product(hourlyPrice, seconds) / secondsPerHour))
}

/** A payment of a rental: when it was made, and whom its budgets were counted for. */
export type Payment = { readonly at: string; readonly amount: number; readonly subjects: unknown }

/** One more payment; what is paid again on the same day for the same subjects is one with what was. */
export const withPayment = (payments: readonly Payment[], payment: Payment): Payment[] => {
  const last = payments.at(-1)
  const isSame = last?.at.slice(0, 10) === payment.at.slice(0, 10) && isDeepStrictEqual(last.subjects, payment.subjects)
  return isSame ? [...payments.slice(0, -1), { ...last, amount: last.amount + payment.amount }] : [...payments, payment]
}

/**
 * Which payments a refund comes from, and how much of each. What was not used is the end of the span, so it is taken from
 * the last payment first.
 */
export const sharesOf = (refund: number, payments: readonly Payment[]): Payment[] => {
  let left = refund
  return payments.toReversed().flatMap((payment) => {
    const amount = Math.min(left, payment.amount)
    left -= amount
    return amount === 0 ? [] : [{ ...payment, amount }]
  })
}

const hourMs = 3_600_000
export const longestMs = 30 * 24 * hourMs
/** A client's clock and the way here take a moment. */
const slackMs = 60_000

/** What is wrong with the end of a new rental; null when nothing is. */
export const endFault = (nowMs: number, endMs: number): string | null => {
  if (Number.isNaN(endMs)) return 'end_time must be an RFC 3339 time'
  if (endMs < nowMs + hourMs - slackMs) return 'end_time must be at least 1 hour from now'
  return endMs > nowMs + longestMs ? 'end_time must be at most 30 days from now' : null
}

/** The same for an extension, which only has to reach further. */
export const extensionFault = (nowMs: number, presentEndMs: number, endMs: number): string | null => {
  if (Number.isNaN(endMs)) return 'end_time must be an RFC 3339 time'
  if (endMs <= presentEndMs) return 'The new end must be after the present one'
  return endMs > nowMs + longestMs ? 'The new end must be at most 30 days from now' : null
}

/** After 1, 2, 4 … at most 60 seconds. */
export const retryDelayMs = (failures: number): number => Math.min(60, 2 ** Math.min(failures, 10)) * 1000
