// Guards: an address of the store says what is asked for, and nothing that the server would refuse.
import { describe, expect, it } from 'vitest'
import { storeFilters, storeRequest } from './filters.ts'

describe('the store', () => {
  it('reads an address, and leaves out what makes no sense there', () => {
    expect(storeFilters({ category: 'text', tag: 'prose', featured: true, order: 'name' })).toEqual({
      category: 'text',
      tag: 'prose',
      featured: true,
      order: 'name',
    })
    expect(storeFilters({ kind: 'books', category: 'toString', tag: 7, featured: 'yes', order: '' })).toEqual({})
  })

  it('asks for skills without what only apps have', () => {
    expect(storeFilters({ kind: 'skills', category: 'text', tag: 'prose', featured: true })).toEqual({
      kind: 'skills',
      featured: true,
    })
  })

  it('asks for the highest ranked first, and by words only where there are some', () => {
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
