// Guarantees: prices are integers by name.
import { expect, it } from 'vitest'
import { pricesIn } from './prices.ts'

it.each([
  [{ image: 2_000_000 }, { image: 2_000_000 }],
  [undefined, {}],
  [{ image: 0.5 }, undefined],
  [{ image: '2' }, undefined],
])('%o', (value, prices) => {
  expect(pricesIn(value)).toEqual(prices)
})
