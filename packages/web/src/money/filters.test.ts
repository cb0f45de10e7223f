// Guarantees: the address determines the request for transactions; invalid values are ignored.
import { expect, it } from 'vitest'
import { moneyFilters, transactionsRequest } from './filters.ts'

const nowMs = Date.parse('2026-03-01T12:00:30Z')

it('turns an address into filters and an order', () => {
  const filters = moneyFilters({ type: 'refund', since: '24h', sort: 'amount:asc' })
  expect(transactionsRequest(filters, nowMs)).toEqual({
    sort: [{ field: 'amount', dir: 'asc' }],
    filters: [
      { field: 'type', operator: 'eq', value: 'refund' },
      { field: 'created_at', operator: 'gte', value: '2026-02-28T12:00:00.000Z' },
    ],
  })
})

it('ignores invalid values', () => {
  expect(moneyFilters({ type: 'gift', since: '3y', sort: 'notes:asc', more: 1 })).toEqual({})
})
