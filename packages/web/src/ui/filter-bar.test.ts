// Guarantees: choosing a filter again removes it, and other filters stay.
import { expect, it } from 'vitest'
import { picked } from './filter-bar.tsx'

type Filters = { status?: string; since?: string }

it('sets, replaces and removes one filter', () => {
  const held: Filters = { status: 'failed' }
  expect(picked(held, 'since', '24h')).toEqual({ status: 'failed', since: '24h' })
  expect(picked(held, 'status', 'active')).toEqual({ status: 'active' })
  expect(picked(held, 'status', 'failed')).toEqual({})
  expect(picked(held, 'status', undefined)).toEqual({})
  expect(picked(held, 'since', undefined)).toEqual({ status: 'failed' })
})
