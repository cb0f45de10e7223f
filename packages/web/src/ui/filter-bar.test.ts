// Guarantees: choosing a filter again removes it, and other filters stay.
import { expect, it } from 'vitest'
import { picked } from './filter-bar.tsx'

type Filters = { status?: string; since?: string }

it('sets, replaces and removes one filter', () => {
  const filters: Filters = { status: 'failed' }
  expect(picked(filters, 'since', '24h')).toEqual({ status: 'failed', since: '24h' })
  expect(picked(filters, 'status', 'active')).toEqual({ status: 'active' })
  expect(picked(filters, 'status', 'failed')).toEqual({})
  expect(picked(filters, 'status', undefined)).toEqual({})
  expect(picked(filters, 'since', undefined)).toEqual({ status: 'failed' })
})
