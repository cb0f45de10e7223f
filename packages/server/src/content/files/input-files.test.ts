// Guarantees: every value that a schema marks as a file becomes a plain URL at any depth, and nothing else changes.
import { describe, expect, it } from 'vitest'
import { isDataUri, parseDataUri } from './data-uri.ts'
import { type FileValue, replaceInputFiles } from './input-files.ts'

const file = { type: 'string', format: 'file' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

type Case = { claim: string; schema: unknown; value: unknown; becomes: unknown; seen?: Omit<FileValue, never>[] }

const u = (uri: string, at: string) => ({ uri, at })

const cases: Case[] = [
  {
    claim: 'a URL in a property',
    schema: object({ image: file, note: { type: 'string' } }),
    value: { image: 'https://a/x.png', note: 'https://a/x.png' },
    becomes: { image: '<https://a/x.png>', note: 'https://a/x.png' },
    seen: [u('https://a/x.png', 'image')],
  },
  {
    claim: 'an object with uri becomes text and its description is passed on',
    schema: object({ image: { type: 'object', format: 'file' } }),
    value: { image: { uri: 'u', content_type: 'image/png', filename: 'a.png', size: 3, path: '/etc/passwd' } },
    becomes: { image: '<u>' },
    seen: [{ uri: 'u', content_type: 'image/png', filename: 'a.png', size: 3, at: 'image' }],
  },
  {
    claim: 'the root schema may be a file',
    schema: file,
    value: 'u',
    becomes: '<u>',
    seen: [u('u', '')],
  },
  {
    claim: 'in arrays',
    schema: object({ images: { type: 'array', items: file } }),
    value: { images: ['a', 'b'] },
    becomes: { images: ['<a>', '<b>'] },
    seen: [u('a', 'images.0'), u('b', 'images.1')],
  },
  {
    claim: 'in tuples, in both notations',
    schema: object({ a: { prefixItems: [{ type: 'number' }, file], items: file }, b: { items: [file] } }),
    value: { a: [1, 'x', 'y'], b: ['z', 'plain'] },
    becomes: { a: [1, '<x>', '<y>'], b: ['<z>', 'plain'] },
  },
  {
    claim: 'deep down',
    schema: object({ scene: object({ layers: { type: 'array', items: object({ mask: file }) } }) }),
    value: { scene: { layers: [{ mask: 'm', opacity: 0.5 }] } },
    becomes: { scene: { layers: [{ mask: '<m>', opacity: 0.5 }] } },
    seen: [u('m', 'scene.layers.0.mask')],
  },
  {
    claim: 'in maps and patterns',
    schema: { type: 'object', patternProperties: { '^img_': file }, additionalProperties: object({ f: file }) },
    value: { img_1: 'a', other: { f: 'b' } },
    becomes: { img_1: '<a>', other: { f: '<b>' } },
  },
  {
    claim: 'behind chains of references',
    schema: {
      allOf: [{ $ref: '#/$defs/Base' }, object({ b: file })],
      $defs: { Base: object({ a: { $ref: '#/$defs/F' } }), F: file },
    },
    value: { a: '1', b: '2' },
    becomes: { a: '<1>', b: '<2>' },
  },
  {
    claim: 'a self-reference ends with the value',
    schema: { $ref: '#/$defs/Node', $defs: { Node: object({ icon: file, next: { $ref: '#/$defs/Node' } }) } },
    value: { icon: 'a', next: { icon: 'b', next: { icon: 'c' } } },
    becomes: { icon: '<a>', next: { icon: '<b>', next: { icon: '<c>' } } },
  },
  {
    claim: 'a reference that only refers to itself terminates',
    schema: { $ref: '#' },
    value: { a: 'x' },
    becomes: { a: 'x' },
  },
  {
    claim: 'optional files: a file or null',
    schema: object({ a: { anyOf: [file, { type: 'null' }] }, b: { anyOf: [file, { type: 'null' }] } }),
    value: { a: 'x', b: null },
    becomes: { a: '<x>', b: null },
  },
  {
    claim: 'one or many',
    schema: object({ a: { oneOf: [file, { type: 'array', items: file }] } }),
    value: { a: ['x', 'y'] },
    becomes: { a: ['<x>', '<y>'] },
  },
  {
    claim: 'a file or text: text that is not an address stays',
    schema: { type: 'array', items: { anyOf: [{ type: 'string' }, file] } },
    value: ['hello', 'https://a/b', 'data:,x', { uri: 'z' }],
    becomes: ['hello', '<https://a/b>', '<data:,x>', '<z>'],
  },
  {
    claim: 'a file or another object, chosen by the required properties',
    schema: { anyOf: [object({ kind: {}, mask: file }, { required: ['kind'] }), { type: 'object', format: 'file' }] },
    value: { kind: 'm', mask: 'x' },
    becomes: { kind: 'm', mask: '<x>' },
  },
  {
    claim: 'values that are not files are left to schema validation',
    schema: object({ a: file, b: file, c: file, d: file }),
    value: { a: 5, b: '', c: { url: 'x' }, d: null },
    becomes: { a: 5, b: '', c: { url: 'x' }, d: null },
    seen: [],
  },
  { claim: 'without a schema, nothing changes', schema: null, value: { a: 'x' }, becomes: { a: 'x' }, seen: [] },
  {
    claim: 'special property names are treated as names',
    schema: object({ constructor: file, toString: file }),
    value: { constructor: 'x' },
    becomes: { constructor: '<x>' },
  },
]

describe('replaceInputFiles', () => {
  it.each(cases)('$claim', async ({ schema, value, becomes, seen }) => {
    const before = JSON.stringify(value)
    const files: FileValue[] = []
    const result = await replaceInputFiles(schema, value, async (found) => {
      files.push(found)
      return `<${found.uri}>`
    })
    expect(result).toEqual(becomes)
    if (seen) expect(files).toEqual(seen)
    expect(JSON.stringify(value)).toBe(before)
  })

  it('a refusal is passed on', async () => {
    const refused = replaceInputFiles(file, 'x', () => Promise.reject(new Error('no')))
    await expect(refused).rejects.toThrow('no')
  })
})

describe('parseDataUri', () => {
  it.each([
    ['data:text/plain,hello', 'text/plain', 'hello'],
    ['data:,a%20b', 'text/plain', 'a b'],
    ['data:;charset=utf-8,%C3%A4', 'text/plain;charset=utf-8', 'ä'],
    ['data:image/png;base64,aGVsbG8=', 'image/png', 'hello'],
    ['DATA:image/png;BASE64,aGVsbG8', 'image/png', 'hello'],
    ['data:text/plain;charset=utf-8;base64,aGVs\nbG8=', 'text/plain;charset=utf-8', 'hello'],
    ['data:;base64,aGVsbG8%3D', 'text/plain', 'hello'],
    ['data:,ä🦊', 'text/plain', 'ä🦊'],
    ['data:application/json,{"a":1,"b":2}', 'application/json', '{"a":1,"b":2}'],
    ['data:;base64,', 'text/plain', ''],
  ])('%s', (uri, contentType, text) => {
    expect(isDataUri(uri)).toBe(true)
    const parsed = parseDataUri(uri)
    expect({ contentType: parsed?.contentType, text: parsed?.bytes.toString() }).toEqual({ contentType, text })
  })

  it('URL-safe base64, byte for byte', () => {
    expect(parseDataUri('data:;base64,-_8')?.bytes).toEqual(Buffer.from([0xfb, 0xff]))
  })

  it.each(['data:text/plain', 'https://a/b', 'data:;base64,***', 'data:,%zz', 'data:,%4', 'data:;base64,%zz'])(
    'refuses %s',
    (uri) => {
      expect(parseDataUri(uri)).toBeNull()
    },
  )
})
