// Guarantees: the URL becomes filters of the list request, and invalid values are ignored.
import { expect, it } from 'vitest'
import { flowsAddress, stateFilter } from '../flows/address.ts'
import { enabledFilter, eventsAddress, triggersAddress } from './address.ts'

it('reads known parameters', () => {
  expect(triggersAddress({ q: 'sack', kind: 'cron', is: 'off', sort: 'name:asc' })).toEqual({
    q: 'sack',
    kind: 'cron',
    is: 'off',
  })
  expect(triggersAddress({ q: '', kind: 'moon', is: true })).toEqual({})
  expect(eventsAddress({ outcome: 'filtered' })).toEqual({ outcome: 'filtered' })
  expect(flowsAddress({ state: 'draft', create: true })).toEqual({ state: 'draft' })
})

it('turns them into filters', () => {
  expect(enabledFilter('off')).toEqual({ field: 'enabled', operator: 'eq', value: false })
  expect(enabledFilter(undefined)).toBeUndefined()
  expect(stateFilter('published')).toEqual({ field: 'published_version_id', operator: 'is_not_null' })
  expect(stateFilter('draft')).toEqual({ field: 'published_version_id', operator: 'is_null' })
})
