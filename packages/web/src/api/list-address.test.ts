// Guards: a list shows what its address says, and an address that says nonsense shows the list as it begins.
import { expect, it } from 'vitest'
import { listAddress, searchFor } from './list-address.ts'

const read = listAddress({ type: { skill: 'Skill', concept: 'Concept' } })

it.each([
  ['words and a choice', { q: 'stone', type: 'skill' }, { q: 'stone', type: 'skill' }],
  ['no unknown choice', { type: 'constructor', q: '' }, {}],
  ['nothing that is not text', { q: 3, type: {} }, {}],
  ['nothing else', { tab: 'x' }, {}],
])('%s', (_what, search, expected) => {
  expect(read(search)).toEqual(expected)
})

it('asks for words only where there are some', () => {
  expect(searchFor(undefined)).toEqual({})
  expect(searchFor('  ')).toEqual({})
  expect(searchFor(' stone ')).toEqual({ search: { term: 'stone' } })
})
