// Guarantees: JSON that is expensive to parse is rejected before parsing, and ordinary JSON is not.
import { expect, it } from 'vitest'
import { exceededBound, jsonBounds } from './json-bounds.ts'

const rows = (count: number, row: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => row(index)).join(',')}]`

const cases: [claim: string, json: string, exceeded: string | null][] = [
  ['nothing', '', null],
  ['an object', '{"a":[1,{"b":"c"}]}', null],
  ['at the maximum depth', `${'['.repeat(64)}${']'.repeat(64)}`, null],
  ['deeper', `${'['.repeat(65)}${']'.repeat(65)}`, 'depth'],
  ['brackets in a text', JSON.stringify({ a: '['.repeat(1000), b: '\\"[['.repeat(500), c: '\\' }), null],
  ['a text without an end', `"${'['.repeat(1000)}`, null],
  ['a table', rows(9_000, (index) => `{"id":${index},"name":"a, b: {c","x":[],"y":null}`), null],
  ['a longer table', rows(40_000, (index) => `{"id":${index},"name":null}`), 'parts'],
  ['numbers', rows(jsonBounds.values, String), null],
  ['more numbers', rows(jsonBounds.values + 2, String), 'values'],
  ['distinct names', `{${rows(10_001, (index) => `"k${index}":0`).slice(1, -1)}}`, 'names'],
  ['distinct names in separate objects', rows(10_001, (index) => `{"k${index}":0}`), 'names'],
  ['one large text', JSON.stringify({ text: '{"a":'.repeat(1_000_000) }), null],
]

it.each(cases)('%s', (_claim, json, exceeded) => expect(exceededBound(Buffer.from(json))).toBe(exceeded))
