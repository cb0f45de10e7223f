// Guarantees: a selection keeps its rows and never exceeds its maximum.
import { expect, it } from 'vitest'
import { withSelected } from './selection.tsx'

const row = (id: string) => ({ id })
const idsOf = (rows: ReadonlyMap<string, unknown>) => [...rows.keys()]

it('adds and removes rows', () => {
  const both = withSelected(new Map(), [row('a'), row('b')], true, 5)
  expect(idsOf(both)).toEqual(['a', 'b'])
  expect(idsOf(withSelected(both, [row('a')], false, 5))).toEqual(['b'])
  expect(idsOf(both)).toEqual(['a', 'b'])
})

it('leaves out rows beyond the maximum', () => {
  const full = withSelected(new Map(), [row('a'), row('b'), row('c')], true, 2)
  expect(idsOf(full)).toEqual(['a', 'b'])
  expect(idsOf(withSelected(full, [row('c')], true, 2))).toEqual(['a', 'b'])
})
