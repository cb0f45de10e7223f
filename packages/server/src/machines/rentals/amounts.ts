// The cost of a rental to the second. Pure. A debit rounds up and a refund rounds down, so a refund never exceeds the
// payments.
import { isDeepStrictEqual } from 'node:util'
import { maxMicrocents } from '@millrace/contract/billing'

const microcentsPerCent = 1_000_000n
const secondsPerHour = 3600n

const product = (hourlyPrice: number, seconds: number): bigint =>
  BigInt(hourlyPrice) * microcentsPerCent * BigInt(seconds)

const bounded = (amount: bigint): number => Number(amount > BigInt(maxMicrocents) ? BigInt(maxMicrocents) : amount)

/** Microcents for every second that was started. */
export const costOfSpan = (hourlyPrice: number, fromMs: number, toMs: number): number => {
  const seconds = Math.max(0, Math.ceil((toMs - fromMs) / 1000))
  return bounded((product(hourlyPrice, seconds) + secondsPerHour - 1n) / secondsPerHour)
}

/** Microcents for every whole unused second, at most the amount paid. */
export const refundOfSpan = (hourlyPrice: number, nowMs: number, endMs: number, paid: number): number => {
  const seconds = Math.max(0, Math.floor((endMs - nowMs) / 1000))
  return Math.min(paid, bounded(product(hourlyPrice, seconds) / secondsPerHour))
}

/** A payment of a rental: its time and the subjects whose budgets it counts against. */
export type Payment = { readonly at: string; readonly amount: number; readonly subjects: unknown }

/** Adds a payment. Payments on the same day for the same subjects are combined. */
export const withPayment = (payments: readonly Payment[], payment: Payment): Payment[] => {
  const last = payments.at(-1)
  const isSame = last?.at.slice(0, 10) === payment.at.slice(0, 10) && isDeepStrictEqual(last.subjects, payment.subjects)
  return isSame ? [...payments.slice(0, -1), { ...last, amount: last.amount + payment.amount }] : [...payments, payment]
}

/**
 * Divides a refund among payments. The unused time is the end of the rental, so the last payments are refunded first.
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
export const maxRentalMs = 30 * 24 * hourMs
/** Tolerance for the clock of the client and the duration of the request. */
const toleranceMs = 60_000

/** The error of the end time of a new rental, or null. */
export const endFault = (nowMs: number, endMs: number): string | null => {
  if (Number.isNaN(endMs)) return '`end_time` must be an RFC 3339 time'
  if (endMs < nowMs + hourMs - toleranceMs) return '`end_time` must be at least 1 hour from now'
  return endMs > nowMs + maxRentalMs ? '`end_time` must be at most 30 days from now' : null
}

/** The same for an extension, which only has to be later than the current end. */
export const extensionFault = (nowMs: number, presentEndMs: number, endMs: number): string | null => {
  if (Number.isNaN(endMs)) return '`end_time` must be an RFC 3339 time'
  if (endMs <= presentEndMs) return 'The new end must be later than the current end'
  return endMs > nowMs + maxRentalMs ? 'The new end must be at most 30 days from now' : null
}

/** After 1, 2, 4 … at most 60 seconds. */
export const retryDelayMs = (failures: number): number => Math.min(60, 2 ** Math.min(failures, 10)) * 1000
