// Guarantees: the address of the file list determines the request.
import { expect, it } from 'vitest'
import { filesAddress, filesRequest } from './address.ts'

it.each([
  [{}, { filters: [] }],
  [{ kind: 'image' }, { filters: [{ field: 'content_type', operator: 'like', value: 'image/%' }] }],
  [{ kind: 'pdf' }, { filters: [{ field: 'content_type', operator: 'like', value: 'application/pdf%' }] }],
  [
    { from: 'outputs', q: 'yield' },
    { filters: [{ field: 'category', operator: 'eq', value: 'outputs' }], search: { term: 'yield' } },
  ],
  [{ kind: 'smell', from: 7 }, { filters: [] }],
])('%j', (address, expected) => {
  expect(filesRequest(filesAddress(address))).toEqual(expected)
})
