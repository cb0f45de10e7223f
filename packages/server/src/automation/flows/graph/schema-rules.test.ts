// Guarantees: null or nothing clears a flow's schema; any other value must be an object schema whose required fields
// exist.
import { expect, test } from 'vitest'
import { isFileListSchema, isFileSchema, readFlowSchema } from './schema-rules.ts'

const file = { type: 'object', format: 'file' }

test.each([
  [null, null],
  [undefined, null],
  [{ type: 'object' }, { type: 'object' }],
  [
    { type: 'object', properties: {} },
    { type: 'object', properties: {} },
  ],
  [
    { type: 'object', properties: { a: file }, required: ['a'] },
    { type: 'object', properties: { a: file }, required: ['a'] },
  ],
  [
    { type: 'object', required: [] },
    { type: 'object', required: [] },
  ],
])('%j is accepted', (schema, held) => expect(readFlowSchema(schema)).toEqual({ schema: held }))

test.each([
  ['text', 'schema must be a JSON object'],
  [[], 'schema must be a JSON object'],
  [true, 'schema must be a JSON object'],
  [{}, 'schema.type must be "object"'],
  [{ type: 'string' }, 'schema.type must be "object"'],
  [{ type: 'object', properties: [] }, 'schema.properties must be an object'],
  [{ type: 'object', properties: null }, 'schema.properties must be an object'],
  [{ type: 'object', required: 'a' }, 'schema.required must be an array of strings'],
  [{ type: 'object', properties: { a: {} }, required: ['a', 1] }, 'schema.required must be an array of strings'],
  [
    { type: 'object', properties: { a: {} }, required: ['b'] },
    'schema.required names "b", which is not in schema.properties',
  ],
  [{ type: 'object', required: ['toString'] }, 'schema.required names "toString"'],
])('%j is refused', (schema, error) =>
  expect(readFlowSchema(schema)).toHaveProperty('error', expect.stringContaining(error)),
)

test('files and lists of files are distinguished from other fields', () => {
  expect([file, { type: 'object' }, { type: 'string', format: 'file' }, null].map(isFileSchema)).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect([{ type: 'array', items: file }, { type: 'array', items: {} }, file].map(isFileListSchema)).toEqual([
    true,
    false,
    false,
  ])
})
