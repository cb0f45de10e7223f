// Guarantees: the rows of a list keep their keys while other rows are added or removed, so that each row keeps its own state.
import { expect, it } from 'vitest'
import { fitKeys } from './row-keys.ts'

it('adds new keys at the end and never reuses a removed one', () => {
  const two = fitKeys({ keys: [], next: 0 }, 2)
  expect(two).toEqual({ keys: [0, 1], next: 2 })
  const withoutFirst = { ...two, keys: two.keys.slice(1) }
  expect(fitKeys(withoutFirst, 1)).toEqual({ keys: [1], next: 2 })
  expect(fitKeys(withoutFirst, 2)).toEqual({ keys: [1, 2], next: 3 })
})

it('drops keys at the end when the list becomes shorter', () => {
  expect(fitKeys({ keys: [4, 7, 8], next: 9 }, 1)).toEqual({ keys: [4], next: 9 })
})
