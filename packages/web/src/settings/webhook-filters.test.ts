// Guards: the log of webhooks asks for runs that have one, of a week at most, as its address says; nonsense there is left out.
import { expect, it } from 'vitest'
import { webhookFilters, webhooksRequest } from './webhook-filters.ts'

const nowMs = Date.parse('2026-03-08T12:00:30Z')
const ofThem = { field: 'has_webhook', operator: 'eq', value: true }

it('asks for a week of them, the newest first', () => {
  expect(webhooksRequest(webhookFilters({ status: 'lost', since: '3y', sort: 'webhook:asc' }), nowMs)).toEqual({
    limit: 20,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [ofThem, { field: 'created_at', operator: 'gte', value: '2026-03-01T12:00:00.000Z' }],
  })
})

it('asks for what the address says', () => {
  const filters = webhookFilters({ status: 'failed', since: '1h', sort: 'status:asc' })
  expect(webhooksRequest(filters, nowMs)).toMatchObject({
    sort: [{ field: 'status', dir: 'asc' }],
    filters: [ofThem, { field: 'status', operator: 'in' }, { value: '2026-03-08T11:00:00.000Z' }],
  })
})
