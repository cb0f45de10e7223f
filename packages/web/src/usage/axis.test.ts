// Guarantees: the top of the axis contains every bar, and half of it is a whole number.
import { expect, it } from 'vitest'
import { axisTop } from './axis.ts'

it.each([
  [0, 2],
  [2, 2],
  [3, 4],
  [10, 10],
  [11, 20],
  [40, 40],
  [46, 100],
  [501, 1000],
])('shows %s on an axis to %s', (max, top) => {
  expect(axisTop(max, 'runs')).toBe(top)
  expect(Number.isInteger(axisTop(max, 'runs') / 2)).toBe(true)
})
