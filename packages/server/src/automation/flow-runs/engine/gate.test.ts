// Guarantees: gates have exactly seven operators [flows 3] with their documented comparisons, and stay closed for
// anything else.
import { expect, test } from 'vitest'
import { evaluateGate } from './gate.ts'

const cases: [held: unknown, operator: string, wanted: unknown, open: boolean][] = [
  ['a', 'equals', 'a', true],
  ['a', 'equals', 'A', false],
  [5, 'equals', '5', true],
  ['5', 'equals', 5, true],
  [5, 'equals', 5.0, true],
  [1.5, 'equals', '1.5', true],
  [true, 'equals', 'true', true],
  [true, 'equals', true, true],
  [null, 'equals', null, true],
  ['', 'equals', undefined, true],
  [[1, 2], 'equals', '[1,2]', true],
  [{ a: 1 }, 'equals', '{"a":1}', true],
  ['a', 'not_equals', 'b', true],
  [5, 'not_equals', '5', false],
  ['hello', 'contains', 'ell', true],
  ['hello', 'contains', 'x', false],
  ['room 101', 'contains', 101, true],
  [['a', 'b'], 'contains', 'b', true],
  [[1, 2], 'contains', '2', true],
  [[1, 2], 'contains', 3, false],
  [{ a: 1 }, 'contains', 'a', false],
  [7, 'contains', '7', false],
  [5, 'gt', 4, true],
  [5, 'gt', 5, false],
  [5, 'gt', '4.5', true],
  ['10', 'gt', '9', true],
  ['-1e3', 'lt', 0, true],
  [' 3 ', 'lt', '4', true],
  [3, 'lt', 4, true],
  [4, 'lt', 4, false],
  ['abc', 'gt', 1, false],
  ['abc', 'lt', 1, false],
  ['', 'lt', 1, false],
  ['0x10', 'gt', 1, false],
  ['Infinity', 'gt', 1, false],
  [null, 'lt', 1, false],
  [true, 'gt', 0, false],
  [[9], 'gt', 1, false],
  [5, 'gt', undefined, false],
  ['', 'is_empty', undefined, true],
  [[], 'is_empty', undefined, true],
  [{}, 'is_empty', undefined, true],
  [null, 'is_empty', 'unused', true],
  [0, 'is_empty', undefined, false],
  [false, 'is_empty', undefined, false],
  [' ', 'is_empty', undefined, false],
  ['x', 'is_not_empty', undefined, true],
  [[0], 'is_not_empty', undefined, true],
  ['', 'is_not_empty', undefined, false],
  ['a', 'eq', 'a', false],
  ['a', 'neq', 'b', false],
  [5, 'gte', 5, false],
  ['a', '', 'a', false],
  ['a', 'EQUALS', 'a', false],
  ['a', 'constructor', 'a', false],
]
test.each(cases)('%j %s %j is %j', (held, operator, value, open) => {
  expect(evaluateGate({ field: 'x', operator, value }, { x: held }).open).toBe(open)
})

test.each(['equals', 'not_equals', 'contains', 'gt', 'lt', 'is_empty', 'is_not_empty'])(
  '%s on a missing key stays closed with a reason',
  (operator) => {
    expect(evaluateGate({ field: 'toString', operator, value: '' }, { y: 1 })).toEqual({
      open: false,
      reason: 'input "toString" is missing',
    })
  },
)

test.each([[null], [undefined], [{}], [{ field: '', operator: '' }]])(
  'without a condition (%j) it is open',
  (condition) => {
    expect(evaluateGate(condition, {})).toEqual({ open: true })
  },
)

test('a long text of digits is compared in linear time', () => {
  const digits = `${'1'.repeat(600_000)}x`
  expect(evaluateGate({ field: 'a', operator: 'gt', value: 1 }, { a: digits })).toMatchObject({ open: false })
})
