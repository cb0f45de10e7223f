// Guarantees: a selector picks by its mode, with negative indexes from the end, and fails on anything that is not a
// non-empty array with such an element.
import { expect, test } from 'vitest'
import { selectElement } from './selector.ts'

const list = ['a', 'b', 'c']

test.each([
  [{ field: 'l' }, 'a'],
  [{ field: 'l', mode: '' }, 'a'],
  [{ field: 'l', mode: 'first' }, 'a'],
  [{ field: 'l', mode: 'last' }, 'c'],
  [{ field: 'l', mode: 'index', index: 1 }, 'b'],
  [{ field: 'l', mode: 'index' }, 'a'],
  [{ field: 'l', mode: 'index', index: -1 }, 'c'],
  [{ field: 'l', mode: 'index', index: -3 }, 'a'],
  [{ field: 'l', mode: 'random' }, 'b'],
  [{}, 'a'],
  [{ field: '' }, 'a'],
  [null, 'a'],
  [undefined, 'a'],
])('%j picks %j', (config, value) => expect(selectElement(config, { l: list }, () => 0.5)).toEqual({ value }))

test.each([
  [{ field: 'l', mode: 'index', index: 3 }, { l: list }, 'index 3 is out of range'],
  [{ field: 'l', mode: 'index', index: -4 }, { l: list }, 'index -4 is out of range'],
  [{ field: 'l', mode: 'index', index: 0.5 }, { l: list }, 'index 0.5 is out of range'],
  [{ field: 'l', mode: 'middle' }, { l: list }, 'unknown selector mode "middle"'],
  [{ field: 'l' }, { l: [] }, 'empty array'],
  [{ field: 'l' }, { l: 'text' }, 'not an array'],
  [{ field: 'l' }, { l: { 0: 'a' } }, 'not an array'],
  [{ field: 'q' }, { l: list }, 'input "q" is missing'],
  [{ field: 'constructor' }, { l: list }, 'input "constructor" is missing'],
  [{}, { l: list, m: list }, 'not exactly one input'],
  [{}, {}, 'not exactly one input'],
])('%j over %j fails', (config, inputs, error) =>
  expect(selectElement(config, inputs, () => 0)).toEqual({ error: expect.stringContaining(error) }),
)

test('random reaches both ends and nothing beyond', () => {
  const pick = (chance: number) => selectElement({ field: 'l', mode: 'random' }, { l: list }, () => chance)
  expect([pick(0), pick(0.999999)]).toEqual([{ value: 'a' }, { value: 'c' }])
})
