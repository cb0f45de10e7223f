// Guarantees: input that would be expensive to parse is rejected before parsing; other input is parsed as usual.
import { expect, it } from 'vitest'
import {
  maxFormBytes,
  maxFormPairs,
  parseUntrustedForm,
  parseUntrustedJson,
  readUntrustedJson,
  UntrustedInputError,
} from './parse-untrusted.ts'

const deep = '['.repeat(100_000) + ']'.repeat(100_000)

it('JSON as text and as bytes', () => {
  const value = { a: [1, 'ü', null] }
  const text = JSON.stringify(value)
  expect(parseUntrustedJson(text)).toEqual(value)
  expect(parseUntrustedJson(Buffer.from(text))).toEqual(value)
})

it.each([
  ['nested deeply', deep, {}, 'is nested too deeply'],
  [
    'nested more deeply than the caller allows',
    '[[[]]]',
    { bounds: { depth: 2, names: 9, parts: 9, values: 9 } },
    'is nested too deeply',
  ],
  [
    'with many parts',
    `[${'{},'.repeat(200_000)}{}]`,
    {},
    'has more than 100000 names, objects and lists; store data of that size in a file',
  ],
  ['larger than the caller allows', '"ü"', { maxBytes: 3 }, 'has more than 3 bytes'],
])('JSON %s is rejected', (_name, text, limits, problem) => {
  for (const input of [text, Buffer.from(text)]) {
    expect(() => parseUntrustedJson(input, limits)).toThrow(expect.objectContaining({ problem, isExcess: true }))
    expect(readUntrustedJson(input, limits)).toBeUndefined()
  }
})

it('invalid JSON is a syntax error', () => {
  expect(() => parseUntrustedJson('{')).toThrow(SyntaxError)
  expect(() => parseUntrustedJson('{')).toThrow(
    expect.objectContaining({ problem: 'is not valid JSON', isExcess: false }),
  )
})

it('a form', () => {
  expect(parseUntrustedForm('a=1&b=x%20y&a=2&c')).toEqual({ a: '2', b: 'x y', c: '' })
  expect(parseUntrustedForm('a&'.repeat(maxFormPairs - 1))).toEqual({ a: '' })
})

it.each([
  ['a form of separators', 'a&'.repeat(maxFormPairs)],
  ['a form of separators alone', '&'.repeat(maxFormPairs)],
  ['a large form', `a=${'x'.repeat(maxFormBytes)}`],
  ['a form that is large in bytes', `a=${'ü'.repeat(maxFormBytes / 2)}`],
])('%s is refused', (_name, text) => expect(() => parseUntrustedForm(text)).toThrow(UntrustedInputError))
