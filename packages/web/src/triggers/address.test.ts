// guards: an address asks for what it says, and what makes no sense in it is left out.
import { expect, it } from 'vitest'
import { flowsAddress, stateFilter } from '../flows/address.ts'
import { firesAddress, switchedFilter, triggersAddress } from './address.ts'

it('reads what it knows', () => {
  expect(triggersAddress({ q: 'sack', kind: 'cron', is: 'off', sort: 'name:asc' })).toEqual({
    q: 'sack',
    kind: 'cron',
    is: 'off',
  })
  expect(triggersAddress({ q: '', kind: 'moon', is: true })).toEqual({})
  expect(firesAddress({ outcome: 'filtered' })).toEqual({ outcome: 'filtered' })
  expect(flowsAddress({ state: 'draft', create: true })).toEqual({ state: 'draft' })
})

it('asks the server for it', () => {
  expect(switchedFilter('off')).toEqual({ field: 'enabled', operator: 'eq', value: false })
  expect(switchedFilter(undefined)).toBeUndefined()
  expect(stateFilter('published')).toEqual({ field: 'published_version_id', operator: 'is_not_null' })
  expect(stateFilter('draft')).toEqual({ field: 'published_version_id', operator: 'is_null' })
})
