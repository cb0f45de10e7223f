// Guarantees: the address contains the order of a table; without a valid order, the default of the list applies.
import { expect, it } from 'vitest'
import { sortIn, sortNamed } from './use-sort.ts'

const own = { field: 'created_at', dir: 'desc' } as const

it.each([
  [undefined, own],
  ['', own],
  ['name', own],
  ['name:up', own],
  ['na me:asc', own],
  ['name:asc', { field: 'name', dir: 'asc' }],
  ['last_used_at:desc', { field: 'last_used_at', dir: 'desc' }],
])('reads %s', (named, sort) => {
  expect(sortIn(own, named)).toEqual(sort)
})

it('leaves the default order out of the address', () => {
  expect(sortNamed(own, own)).toBeUndefined()
  expect(sortNamed(own, { field: 'created_at', dir: 'asc' })).toBe('created_at:asc')
  expect(sortIn(own, sortNamed(own, { field: 'name', dir: 'desc' }))).toEqual({ field: 'name', dir: 'desc' })
})
