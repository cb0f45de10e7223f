// Guarantees: the address determines the search text and filters of a list; invalid values are ignored.
import { expect, it } from 'vitest'
import { listAddress, searchFor } from './list-address.ts'

const read = listAddress({ type: { skill: 'Skill', concept: 'Concept' } })

it.each([
  ['a search text and a choice', { q: 'stone', type: 'skill' }, { q: 'stone', type: 'skill' }],
  ['without an unknown choice', { type: 'constructor', q: '' }, {}],
  ['without values that are not text', { q: 3, type: {} }, {}],
  ['without other parameters', { tab: 'x' }, {}],
])('%s', (_what, search, expected) => {
  expect(read(search)).toEqual(expected)
})

it('searches only with a search text', () => {
  expect(searchFor(undefined)).toEqual({})
  expect(searchFor('  ')).toEqual({})
  expect(searchFor(' stone ')).toEqual({ search: { term: 'stone' } })
})
