// Guarantees: each utility node stores the result of its type [flows 3]. An expression replaces the preset, legacy
// settings apply only without `utility`, and only gates fail without failing the run.
import type { NodeData } from '@millrace/contract/flows'
import { expect, test } from 'vitest'
import { evaluateUtility } from './utility.ts'

const inputs = { n: 5, list: [1, 2, 3], name: 'ann' }
const closed = { field: 'n', operator: 'gt', value: 9 }
const open = { field: 'n', operator: 'gt', value: 1 }

const passes: [claim: string, type: string, data: NodeData, output: unknown][] = [
  ['merge stores its inputs', 'merge', {}, inputs],
  ['an open gate stores its inputs', 'gate', { utility: { gate: open } }, inputs],
  ['a gate without a condition is open', 'gate', {}, inputs],
  ['a utility node with the preset gate', 'utility', { utility: { preset: 'gate', gate: open } }, inputs],
  ['a legacy gate', 'gate', { gate_condition: open }, inputs],
  ['a legacy gate on a utility node', 'utility', { gate_condition: open }, inputs],
  [
    'utility takes precedence over legacy settings',
    'gate',
    { utility: { gate: open }, gate_condition: closed },
    inputs,
  ],
  [
    'an expression as the condition of a gate',
    'gate',
    { utility: { expression: 'input.n == 5', gate: closed } },
    inputs,
  ],
  ['a selector', 'selector', { utility: { selector: { field: 'list', mode: 'last' } } }, 3],
  ['a legacy selector', 'selector', { selector_config: { field: 'list' } }, 1],
  ['a legacy selector on a utility node', 'utility', { selector_config: { field: 'list' } }, 1],
  ['a literal', 'constant', { utility: { constant: { a: [1] } } }, { a: [1] }],
  ['false is a literal', 'constant', { utility: { constant: false } }, false],
  ['neither literal nor random', 'constant', {}, null],
  ['random in the default range', 'constant', { utility: { random: true } }, 500_000],
  ['random within bounds', 'constant', { utility: { random: true, random_min: 10, random_max: 11 } }, 11],
  [
    'random takes precedence over the literal',
    'constant',
    { utility: { random: true, random_max: 0, constant: 7 } },
    0,
  ],
  ['an expression', 'utility', { utility: { expression: 'input.n + 1' } }, 6],
  [
    'an expression takes precedence over a preset',
    'utility',
    { utility: { preset: 'merge', expression: 'input.name' } },
    'ann',
  ],
  ['an expression on a typed node', 'selector', { utility: { expression: 'input.list[1]' } }, 2],
  ['an empty expression counts as none', 'merge', { utility: { expression: '' } }, inputs],
]
test.each(passes)('%s', (_claim, type, data, output) => {
  expect(evaluateUtility(type, data, inputs, () => 0.5)).toEqual({ output })
})

const failures: [claim: string, type: string, data: NodeData, error: string, gate: boolean][] = [
  ['a closed gate', 'gate', { utility: { gate: closed } }, 'condition is false', true],
  ['a closed preset gate', 'utility', { utility: { preset: 'gate', gate: closed } }, 'condition is false', true],
  [
    'a gate with an unknown operator',
    'gate',
    { gate_condition: { ...open, operator: 'eq' } },
    'unknown operator "eq"',
    true,
  ],
  ['a false expression', 'gate', { utility: { expression: 'input.n > 9' } }, 'condition is false', true],
  ['a broken expression in a gate', 'gate', { utility: { expression: 'input.q' } }, 'field not found: q', true],
  ['an expression in a gate that is not a condition', 'gate', { utility: { expression: '1' } }, 'true or false', true],
  ['a broken expression', 'utility', { utility: { expression: 'input.' } }, 'expecting', false],
  ['a missing key', 'utility', { utility: { expression: 'input.q' } }, 'field not found: q', false],
  [
    'a selector of a field that is not a list',
    'selector',
    { utility: { selector: { field: 'name' } } },
    'not an array',
    false,
  ],
  ['a utility node without settings', 'utility', {}, 'neither a preset nor an expression', false],
  ['an unknown preset', 'utility', { utility: { preset: 'loop' } }, 'neither a preset nor an expression', false],
  [
    'random with reversed bounds',
    'constant',
    { utility: { random: true, random_min: 2, random_max: 1 } },
    'there is no integer between',
    false,
  ],
]
test.each(failures)('%s fails', (_claim, type, data, error, gate) => {
  expect(evaluateUtility(type, data, inputs, () => 0)).toEqual({ error: expect.stringContaining(error), gate })
})

test('random integers reach both bounds and nothing beyond', () => {
  const draw = (chance: number) =>
    evaluateUtility('constant', { utility: { random: true, random_min: -2, random_max: 2 } }, {}, () => chance)
  expect([draw(0), draw(0.5), draw(0.999999)]).toEqual([{ output: -2 }, { output: 0 }, { output: 2 }])
})
