// Guarantees: every value that a schema marks as a file is found, at any depth, and no other.
import { expect, it, test } from 'vitest'
import { mapFileValues } from './file-values.ts'
import { outputFiles } from './outputs.ts'

const file = { type: 'string', format: 'file' }

test.each<[string, object | null, unknown, string[]]>([
  ['a field', { properties: { a: file, b: {} } }, { a: 'x', b: 'y' }, ['a']],
  ['in a list', { properties: { a: { items: file } } }, { a: ['x', 'y'] }, ['a.0', 'a.1']],
  ['in a map', { additionalProperties: file }, { k: 'x' }, ['k']],
  ['in an alternative', { anyOf: [{ properties: { a: file } }, {}] }, { a: 'x' }, ['a']],
  ['behind a reference', { properties: { a: { $ref: '#/$defs/f' } }, $defs: { f: file } }, { a: 'x' }, ['a']],
  ['as an object', { properties: { a: { type: 'object', format: 'file' } } }, { a: { uri: 'x' } }, ['a']],
  ['not a missing one', { properties: { a: file } }, { a: null }, []],
  ['not without a schema', null, { a: 'x' }, []],
  ['not behind a broken reference', { $ref: '#/$defs/no' }, { a: 'x' }, []],
  ['not in an inherited name', { properties: {} }, { constructor: 'x' }, []],
])('%s', async (_claim, schema, value, expected) => {
  const found = await outputFiles(schema, value)
  expect(found.map(({ field }) => field)).toEqual(expected)
})

it('terminates for a schema that refers to itself', async () => {
  const schema = { properties: { next: { $ref: '#' }, f: file } }
  expect((await outputFiles(schema, { next: { next: { f: 'x' } } })).map(({ field }) => field)).toEqual(['next.next.f'])
  const twice = { anyOf: [{ $ref: '#' }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }], properties: { f: file } }
  expect((await outputFiles(twice, { f: 'x' })).map(({ field }) => field)).toEqual(['f'])
})

it('replaces in a copy', async () => {
  const value = { a: 'x', b: [1] }
  const mapped = await mapFileValues({ properties: { a: file } }, value, async (one) => `${one}!`)
  expect(mapped).toEqual({ a: 'x!', b: [1] })
  expect(value.a).toBe('x')
})
