// Guarantees: the top of the axis contains every bar.
import { expect, it } from 'vitest'
import { axisTop } from './axis.ts'

it.each([
  [0, 2],
  [2, 2],
  [3, 5],
  [10, 10],
  [11, 20],
  [46, 50],
  [501, 1000],
])('shows %s on an axis to %s', (max, top) => {
  expect(axisTop(max, 'runs')).toBe(top)
})
