// Guarantees: one rule distinguishes the two forms of a run's input [flows 4]. A missing required input is named, files
// may be URLs or objects, and validation is bounded for any schema and input.
import { describe, expect, test } from 'vitest'
import { schemaFault } from './input-schema.ts'
import { inputFault, readRunInput } from './run-input.ts'
import { from, planOf } from './testing/flow-builder.ts'

const file = { type: 'object', format: 'file' }
const schema = {
  type: 'object',
  properties: {
    prompt: { type: 'string', minLength: 2 },
    n: { type: 'integer' },
    image: file,
    pages: { type: 'array', items: file },
    code: { type: 'string', pattern: '^[a-z]{2}$' },
    choice: { $ref: '#/$defs/Choice' },
  },
  required: ['prompt'],
  $defs: { Choice: { type: 'string', enum: ['a', 'b'] } },
}
const plan = planOf({ in: { type: 'inputNode' }, a: { inputs: { x: from('in', 'prompt') } } }, { schema })

test.each([
  [{}, 'flat'],
  [{ a: { x: 1 } }, 'by node'],
  [{ a: {}, in: {} }, 'by node'],
  [{ a: { x: 1 }, q: {} }, 'flat'],
  [{ a: 1 }, 'flat'],
  [{ a: [1] }, 'flat'],
  [{ a: null }, 'flat'],
  [{ constructor: {} }, 'flat'],
])('%j is %s', (input, form) => expect(readRunInput(plan, input).form).toBe(form))

test.each<[Record<string, unknown>, string | undefined]>([
  [{ prompt: 'hi' }, undefined],
  [{ prompt: 'hi', extra: 1 }, undefined],
  [{ prompt: 'hi', image: 'https://x.test/a.png' }, undefined],
  [{ prompt: 'hi', image: { uri: 'u', size: 3 } }, undefined],
  [{ prompt: 'hi', pages: ['data:,a', { uri: 'u' }] }, undefined],
  [{ prompt: 'hi', code: 'ab', choice: 'b' }, undefined],
  [{}, 'input "prompt" is required'],
  [{ n: 1 }, 'input "prompt" is required'],
  [{ prompt: 5 }, 'input "prompt" must be string'],
  [{ prompt: 'h' }, 'input "prompt" must NOT have fewer than 2 characters'],
  [{ prompt: 'hi', n: 1.5 }, 'input "n" must be integer'],
  [{ prompt: 'hi', image: { url: 'u' } }, 'input "image"'],
  [{ prompt: 'hi', pages: [1] }, 'input "pages.0"'],
  [{ prompt: 'hi', code: 'abc' }, 'input "code" must match pattern'],
  [{ prompt: 'hi', choice: 'c' }, 'input "choice" must be equal to one of the allowed values'],
  [{ a: { x: 1 } }, undefined],
  [{ in: { prompt: 'hi' } }, undefined],
  [{ in: {} }, 'input "prompt" is required'],
])('%j: %s', (input, fault) => {
  const found = inputFault(plan, input, schemaFault)
  if (fault === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(fault)
})

test('a preset value of the input node satisfies the requirement; without a schema, nothing is required', () => {
  const preset = planOf({ in: { type: 'inputNode', inputs: { prompt: 'preset' } } }, { schema })
  expect(inputFault(preset, {}, schemaFault)).toBeUndefined()
  expect(inputFault(planOf({}), { any: 'thing' }, schemaFault)).toBeUndefined()
})

describe('hostile schemas', () => {
  test('references that double at each level are refused', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    )
    const doubling = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/d0' } },
      $defs: { ...$defs, d40: { type: 'string' } },
    }
    expect(schemaFault(doubling, { x: 1 })).toContain('cannot be checked')
  })

  test('a recursive schema is followed as deep as the input', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' }, name: { type: 'string' } } }
    expect(schemaFault(tree, { child: { child: { name: 'x' } } })).toBeUndefined()
    expect(schemaFault(tree, { child: { child: { name: 1 } } })).toContain('input "child.child.name" must be string')
  })

  test('patterns take linear time, and oversized texts are refused', () => {
    const pattern = (source: string) => ({ type: 'object', properties: { s: { type: 'string', pattern: source } } })
    expect(schemaFault(pattern('^(a+)+$'), { s: `${'a'.repeat(10_000)}b` })).toContain('must match pattern')
    expect(schemaFault(pattern('(a|b)*a(a|b){300}[cd]'), { s: 'ab'.repeat(50_000) })).toContain(
      'too long for its pattern',
    )
    const two = { type: 'object', properties: { a: { pattern: '^x$' }, b: { pattern: '^y$' } } }
    expect(schemaFault(two, { a: 'x', b: 'y' })).toBeUndefined()
    expect(schemaFault(pattern('('), { s: 'a' })).toContain('cannot be checked')
  })

  test('a list of objects is not compared pairwise', () => {
    const unique = {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'object' }, uniqueItems: true } },
    }
    expect(schemaFault(unique, { l: Array.from({ length: 10_000 }, (_, a) => ({ a })) })).toBeUndefined()
    const scalars = {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
    }
    expect(schemaFault(scalars, { l: ['a', 'a'] })).toContain('must NOT have duplicate items')
  })

  test('an invalid schema is an answer, not an exception', () => {
    expect(schemaFault({ type: 'object', properties: { x: { type: 'banana' } } }, { x: 1 })).toContain(
      'cannot be checked',
    )
  })

  test('a remote reference is not fetched and accepts any value', () => {
    expect(
      schemaFault({ type: 'object', properties: { x: { $ref: 'https://x.test/s.json' } } }, { x: 1 }),
    ).toBeUndefined()
  })
})
