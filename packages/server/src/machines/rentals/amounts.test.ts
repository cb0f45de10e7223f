// Guarantees: costs are exact to the second and rounded once, always in favor of the ledger; the limits of a rental's
// duration are exact.
import { maxMicrocents } from '@millrace/contract/billing'
import { describe, expect, it } from 'vitest'
import { costOfSpan, endFault, extensionFault, refundOfSpan, retryDelayMs, sharesOf, withPayment } from './amounts.ts'

const hour = 3_600_000

describe('amounts', () => {
  it.each([
    [36, hour, 36_000_000],
    [1, 1000, 278],
    [1, 1, 278],
    [100, 1500, 55_556],
    [100_000_000, 30 * 24 * hour, maxMicrocents],
  ])('%i cents per hour for %i ms cost %i', (price, ms, cost) => expect(costOfSpan(price, 0, ms)).toBe(cost))

  it.each([
    [36, hour, 36_000_000],
    [1, 1000, 277],
    [1, 999, 0],
    [100, -5, 0],
  ])('%i cents per hour: %i unused ms refund %i', (price, ms, back) =>
    expect(refundOfSpan(price, 0, ms, 1e12)).toBe(back),
  )

  it('never refunds more than was paid', () => expect(refundOfSpan(100, 0, hour, 5)).toBe(5))

  it('a refund comes from the last payments first, from each at most its amount', () => {
    const pay = (day: number, amount: number, key = 'k') => ({
      at: `2026-01-0${day}T12:00:00.000Z`,
      amount,
      subjects: [['api_key', key]],
    })
    const payments = [pay(1, 100), pay(2, 30), pay(2, 20), pay(2, 5, 'other')].reduce(withPayment, [])
    expect(payments).toEqual([pay(1, 100), pay(2, 50), pay(2, 5, 'other')])
    expect(sharesOf(70, payments)).toEqual([pay(2, 5, 'other'), pay(2, 50), pay(1, 15)])
    expect(sharesOf(5, payments)).toEqual([pay(2, 5, 'other')])
    expect(sharesOf(0, payments)).toEqual([])
  })

  it('a rental lasts from one hour (with tolerance) to thirty days', () => {
    expect(endFault(0, hour - 59_000)).toBeNull()
    expect(endFault(0, hour - 61_000)).not.toBeNull()
    expect(endFault(0, 720 * hour)).toBeNull()
    expect(endFault(0, 720 * hour + 1)).not.toBeNull()
    expect(endFault(0, Number.NaN)).not.toBeNull()
    expect(extensionFault(0, hour, hour)).not.toBeNull()
    expect(extensionFault(0, hour, hour + 1)).toBeNull()
    expect(extensionFault(0, hour, 720 * hour + 1)).not.toBeNull()
  })

  it('retries after 1, 2, 4 … at most 60 seconds', () =>
    expect([0, 1, 2, 5, 6, 50].map(retryDelayMs)).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]))
})
