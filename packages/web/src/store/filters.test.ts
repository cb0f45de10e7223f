// Guarantees: the address of the store determines the request, without values that the server rejects.
import { describe, expect, it } from 'vitest'
import { storeFilters, storeRequest } from './filters.ts'

describe('the store', () => {
  it('reads an address and leaves out invalid values', () => {
    expect(storeFilters({ category: 'text', tag: 'prose', featured: true, order: 'name' })).toEqual({
      category: 'text',
      tag: 'prose',
      featured: true,
      order: 'name',
    })
    expect(storeFilters({ kind: 'books', category: 'toString', tag: 7, featured: 'yes', order: '' })).toEqual({})
  })

  it('requests skills without the filters of apps', () => {
    expect(storeFilters({ kind: 'skills', category: 'text', tag: 'prose', featured: true })).toEqual({
      kind: 'skills',
      featured: true,
    })
  })

  it('sorts by rank, and searches only with words', () => {
    expect(storeRequest({}, '')).toEqual({
      sort: [
        { field: 'rank', dir: 'desc' },
        { field: 'created_at', dir: 'desc' },
      ],
      filters: [],
    })
    expect(storeRequest({ tag: 'prose', featured: true, order: 'newest' }, 'mill')).toEqual({
      sort: [{ field: 'created_at', dir: 'desc' }],
      filters: [
        { field: 'tag', operator: 'eq', value: 'prose' },
        { field: 'is_featured', operator: 'eq', value: true },
      ],
      search: { term: 'mill' },
    })
  })
})
