// Guarantees: key=value arguments get the type of their field; values that do not fit are rejected by name.
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../exit-codes.ts'
import { inputOfPairs, isPair } from './words.ts'

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    steps: { type: 'integer' },
    loud: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    size: { $ref: '#/$defs/Size' },
    photo: { type: 'string', format: 'file' },
    photos: { type: 'array', items: { type: 'string', format: 'file' } },
  },
  $defs: { Size: { type: 'object' } },
}

test.each<[string[], object]>([
  [['text=42'], { text: '42' }],
  [['text=9007199254740993'], { text: '9007199254740993' }],
  [['text=a=b'], { text: 'a=b' }],
  [['text='], { text: '' }],
  [['steps=4', 'loud=true'], { steps: 4, loud: true }],
  [['tags=a', 'tags=b'], { tags: ['a', 'b'] }],
  [['tags=["a","b"]'], { tags: ['a', 'b'] }],
  [['maybe=1.5'], { maybe: 1.5 }],
  [['maybe=null'], { maybe: null }],
  [['size={"w":1}'], { size: { w: 1 } }],
  [['photo=@a.png', 'photos=@b.png'], { photo: '@a.png', photos: ['@b.png'] }],
  [['other=7', 'words=hello'], { other: 7, words: 'hello' }],
])('%j is %j', (pairs, input) => expect(inputOfPairs(pairs, schema)).toEqual(input))

describe('invalid values', () => {
  test.each(['steps=many', 'steps=1.5', 'steps=9007199254740993', 'loud=yes', 'size=big'])('%s is refused', (pair) => {
    expect(() => inputOfPairs([pair], schema)).toThrow(pair.split('=')[0])
    expect(() => inputOfPairs([pair], schema)).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }))
  })
})

test.each<[string, boolean]>([
  ['a=1', true],
  ['{"a":"x=1"}', false],
  ['x', false],
  ['=1', false],
])('%j is a pair: %j', (word, expected) => expect(isPair(word)).toBe(expected))
