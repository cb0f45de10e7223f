// Guarantees: the quote and the refund are the amounts that the server uses.
import { expect, it } from 'vitest'
import { costOfHours, endAfter, leftOf } from './span.ts'

it('quotes the hourly price times the hours, in microcents', () => {
  expect(costOfHours(3600, 2)).toBe(7_200_000_000)
  expect(costOfHours(1, 1.5)).toBe(1_500_000)
})

it('refunds whole seconds, and nothing after the end', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(leftOf(3600, endAfter(now, 1), now + 500)).toBe(3_599_000_000)
  expect(leftOf(3600, endAfter(now, 1), now + 2 * 3_600_000)).toBe(0)
})
