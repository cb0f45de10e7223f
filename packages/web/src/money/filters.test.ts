// Guards: what stands in the address of the transactions is what the server is asked, and nonsense in it is left out.
import { expect, it } from 'vitest'
import { moneyFilters, transactionsRequest } from './filters.ts'

const nowMs = Date.parse('2026-03-01T12:00:30Z')

it('an address becomes filters and an order of the list', () => {
  const filters = moneyFilters({ type: 'refund', since: '24h', sort: 'amount:asc' })
  expect(transactionsRequest(filters, nowMs)).toEqual({
    sort: [{ field: 'amount', dir: 'asc' }],
    filters: [
      { field: 'type', operator: 'eq', value: 'refund' },
      { field: 'created_at', operator: 'gte', value: '2026-02-28T12:00:00.000Z' },
    ],
  })
})

it('nonsense is left out', () => {
  expect(moneyFilters({ type: 'gift', since: '3y', sort: 'notes:asc', more: 1 })).toEqual({})
})
