// Guards: of a long list only the pages in view are asked for, and it ends where the server says it does.
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
  ['over an edge', 90, 130, [1, 2]],
  ['far down, the first page stays for its total', 9_930, 9_999, [1, 100]],
  ['of an empty list', 0, 0, [1]],
])('asks for what is in view %s', (_name, first, last, pages) => {
  expect(pagesInView(first, last)).toEqual(pages)
})

it.each([
  ['nothing yet', [{ number: 1, page: undefined }], 0],
  ['what the first page counted', [{ number: 1, page: page(420) }], 420],
  [
    'the end that was seen, not the older count',
    [
      { number: 1, page: page(420) },
      { number: 5, page: page(421, 21, false) },
    ],
    421,
  ],
  [
    'a page behind the end',
    [
      { number: 1, page: page(420) },
      { number: 5, page: page(400, 0, false) },
    ],
    400,
  ],
  ['what is counted of a list that is longer', [{ number: 1, page: page(1_000_000) }], 10_000],
  [
    'a page more than what is looked at beyond that',
    [
      { number: 1, page: page(1_000_000) },
      { number: 100, page: undefined },
    ],
    10_100,
  ],
])('is as long as %s', (_name, pages, length) => {
  expect(lengthOf(pages)).toBe(length)
})
