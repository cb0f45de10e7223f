// Guarantees: prices are integers by name.
import { expect, it } from 'vitest'
import { pricesIn } from './prices.ts'

it.each([
  ['{"image": 2000000}', { image: 2_000_000 }],
  [' ', {}],
  ['{"image": 0.5}', undefined],
  ['{"image": "2"}', undefined],
  ['[1]', undefined],
  ['null', undefined],
  ['{"image": ', undefined],
])('%s', (text, prices) => {
  expect(pricesIn(text)).toEqual(prices)
})
