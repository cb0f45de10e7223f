// Guarantees: the URL of the audit log becomes filters of the list request, and invalid values are ignored.
import { expect, it } from 'vitest'
import { auditFilters, auditRequest } from './audit-filters.ts'

const nowMs = Date.parse('2026-03-01T12:00:30Z')

it('turns a URL into filters of the list', () => {
  const filters = auditFilters({
    action: 'secret',
    by: 'key',
    since: '1h',
    person: 'p1',
    on: 'MILL_TOKEN',
    sort: 'ip:asc',
  })
  expect(auditRequest(filters, nowMs).sort).toEqual([{ field: 'ip', dir: 'asc' }])
  expect(auditRequest(filters, nowMs).filters).toEqual([
    { field: 'action', operator: 'contains', value: 'secret' },
    { field: 'actor_kind', operator: 'eq', value: 'key' },
    { field: 'created_at', operator: 'gte', value: '2026-03-01T11:00:00.000Z' },
    { field: 'actor_user_id', operator: 'eq', value: 'p1' },
    { field: 'resource_id', operator: 'eq', value: 'MILL_TOKEN' },
  ])
})

it('ignores invalid values', () => {
  const filters = auditFilters({
    action: 'a b',
    by: 'ghosts',
    since: '3y',
    person: ['p'],
    on: '',
    sort: 'meta:asc',
    more: 1,
  })
  expect(filters).toEqual({})
  expect(auditRequest(filters, nowMs)).toEqual({ sort: [{ field: 'created_at', dir: 'desc' }], filters: [] })
})
