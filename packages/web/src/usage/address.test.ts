// Guarantees: the address restores the view, and ignores values that do not exist.
import { expect, it } from 'vitest'
import { firstDay, usageAddress } from './address.ts'

it('reads the address', () => {
  expect(usageAddress({ period: '7d', by: 'person', show: 'cost' })).toEqual({
    period: '7d',
    by: 'person',
    show: 'cost',
  })
})

it('ignores unknown values', () => {
  expect(usageAddress({ period: '9y', by: 'constructor', show: 7 })).toEqual({})
})

it('starts a week at its first of seven days', () => {
  expect(firstDay('7d', Date.parse('2026-03-02T23:59:00Z'))).toBe('2026-02-24')
})
