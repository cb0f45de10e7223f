// Guarantees: a long list requests only the visible pages, and has the length that the server reports.
import { expect, it } from 'vitest'
import { lengthOf, pagesInView } from './long-list.ts'

const page = (total: number, items = 100, has_next = true) => ({
  items: Array.from({ length: items }, (_, index) => ({ id: String(index) })),
  next_cursor: '',
  prev_cursor: '',
  has_next,
  has_previous: false,
  items_per_page: 100,
  total_items: total,
})

it.each([
  ['at the top', 0, 40, [1]],
  ['across two pages', 90, 130, [1, 2]],
  ['far down, the first page stays for its total', 9_930, 9_999, [1, 100]],
  ['of an empty list', 0, 0, [1]],
])('requests the visible pages %s', (_name, first, last, pages) => {
  expect(pagesInView(first, last)).toEqual(pages)
})

it.each([
  ['zero before the first response', [{ number: 1, page: undefined }], 0],
  ['the total of the first page', [{ number: 1, page: page(420) }], 420],
  [
    'the end in a newer page, not the older total',
    [
      { number: 1, page: page(420) },
      { number: 5, page: page(421, 21, false) },
    ],
    421,
  ],
  [
    'the total in an empty page after the end',
    [
      { number: 1, page: page(420) },
      { number: 5, page: page(400, 0, false) },
    ],
    400,
  ],
  ['the largest exact total for a longer list', [{ number: 1, page: page(1_000_000) }], 10_000],
  [
    'one page more than the visible one beyond the exact total',
    [
      { number: 1, page: page(1_000_000) },
      { number: 100, page: undefined },
    ],
    10_100,
  ],
])('has the length: %s', (_name, pages, length) => {
  expect(lengthOf(pages)).toBe(length)
})
