// Guarantees: the list of webhooks requests runs that have one, of one week at most, with the filters of the URL.
import { expect, it } from 'vitest'
import { webhookFilters, webhooksRequest } from './webhook-filters.ts'

const nowMs = Date.parse('2026-03-08T12:00:30Z')
const ofThem = { field: 'has_webhook', operator: 'eq', value: true }

it('requests one week, newest first', () => {
  expect(webhooksRequest(webhookFilters({ status: 'lost', since: '3y', sort: 'webhook:asc' }), nowMs)).toEqual({
    limit: 20,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [ofThem, { field: 'created_at', operator: 'gte', value: '2026-03-01T12:00:00.000Z' }],
  })
})

it('requests the filters of the URL', () => {
  const filters = webhookFilters({ status: 'failed', since: '1h', sort: 'status:asc' })
  expect(webhooksRequest(filters, nowMs)).toMatchObject({
    sort: [{ field: 'status', dir: 'asc' }],
    filters: [ofThem, { field: 'status', operator: 'in' }, { value: '2026-03-08T11:00:00.000Z' }],
  })
})
