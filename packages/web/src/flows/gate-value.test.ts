// Guarantees: the value of a gate keeps its type between server and field, and an incomplete value is never sent.
import { expect, it } from 'vitest'
import { parseGateValue, typedOf } from './gate-value.ts'

it.each(['', 'flour', '3', 3, -0.5, true, false, null, [1, 'a'], { a: 1 }])('%j comes back as it was', (value) => {
  expect(parseGateValue(typedOf(value))).toEqual({ value })
})

it.each([
  { kind: 'number', text: '' },
  { kind: 'number', text: 'three' },
  { kind: 'JSON', text: '{"a":' },
] as const)('$text is no $kind', (typed) => {
  expect(parseGateValue(typed)).toBeUndefined()
})
