// Guarantees: files are found at every place where a schema can have them, and no schema causes an endless search.
import { expect, it } from 'vitest'
import { replaceFileFields } from './file-fields.ts'

const replace = async (value: unknown) => `file:${String(value)}`
const file = { type: 'string', format: 'file' }

it.each([
  {
    claim: 'a member',
    schema: { properties: { a: file } },
    value: { a: 'x', b: 'y' },
    result: { a: 'file:x', b: 'y' },
  },
  {
    claim: 'items',
    schema: { properties: { a: { items: file } } },
    value: { a: ['x', 'y'] },
    result: { a: ['file:x', 'file:y'] },
  },
  {
    claim: 'an alternative',
    schema: { properties: { a: { anyOf: [{ type: 'null' }, file] } } },
    value: { a: 'x' },
    result: { a: 'file:x' },
  },
  {
    claim: 'a reference',
    schema: { properties: { a: { $ref: '#/$defs/f' } }, $defs: { f: file } },
    value: { a: 'x' },
    result: { a: 'file:x' },
  },
  {
    claim: 'a reference to the root',
    schema: { properties: { f: file, next: { $ref: '#' } } },
    value: { next: { next: { f: 'x' } } },
    result: { next: { next: { f: 'file:x' } } },
  },
])('$claim', async ({ schema, value, result }) => {
  expect(await replaceFileFields(schema, value, replace)).toEqual(result)
})

it('a schema that refers to itself twice is walked once per value', async () => {
  const twice = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }
  const schema = { ...twice, $defs: { a: { ...twice, properties: { f: file } } } }
  expect(await replaceFileFields(schema, { f: 'x' }, replace)).toEqual({ f: 'file:x' })
})
