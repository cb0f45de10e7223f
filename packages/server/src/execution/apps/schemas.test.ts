// Guarantees: an author's schema validates inputs exactly, errors name the field, and no schema can block the server.
import { describe, expect, it } from 'vitest'
import { longestPiece, maxPieceMs } from '../../testing/event-loop.ts'
import { compileSchema } from './schemas.ts'

const fault = (schema: unknown, value: unknown) => compileSchema(schema).fault(value, 'input')

const object = (properties: Record<string, unknown>, rest: object = {}) => ({ type: 'object', properties, ...rest })

describe('errors name the field', () => {
  it.each<[string, unknown, unknown, string | null]>([
    ['fits', object({ text: { type: 'string' } }, { required: ['text'] }), { text: 'a' }, null],
    ['missing', object({ text: { type: 'string' } }, { required: ['text'] }), {}, 'input.text is required'],
    [
      'a live field is never required',
      object({ a: { type: 'array', format: 'stream' } }, { required: ['a'] }),
      {},
      null,
    ],
    [
      'a list of that format only',
      object({ a: { type: 'string', format: 'stream' } }, { required: ['a'] }),
      {},
      'input.a is required',
    ],
    ['wrong type', object({ n: { type: 'integer' } }), { n: 'x' }, 'input.n must be integer'],
    [
      'nested',
      object({ a: object({ b: { type: 'string' } }, { required: ['b'] }) }),
      { a: {} },
      'input.a.b is required',
    ],
    [
      'in a list',
      object({ l: { type: 'array', items: { type: 'number' } } }),
      { l: [1, 'x'] },
      'input.l.1 must be number',
    ],
    ['unknown field', object({}, { additionalProperties: false }), { x: 1 }, 'input.x is not a known field'],
    ['choices', object({ c: { enum: ['a', 'b'] } }), { c: 'z' }, 'input.c must be one of "a", "b"'],
    [
      'nullable',
      object({ c: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { c: 5 },
      'input.c must be string or null',
    ],
    [
      'forms',
      object({ c: { oneOf: [object({}, { required: ['x'] }), { type: 'string' }] } }),
      { c: {} },
      'input.c matches none of the allowed forms',
    ],
    ['pattern', object({ c: { type: 'string', pattern: '^a+$' } }), { c: 'b' }, 'input.c must match pattern "^a+$"'],
    ['format', object({ c: { type: 'string', format: 'email' } }), { c: 'b' }, 'input.c must match format "email"'],
    ['unknown format', object({ c: { type: 'string', format: 'colour' } }), { c: 'b' }, null],
    [
      'repeated items',
      object({ c: { uniqueItems: true } }),
      {
        c: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      'input.c must not contain duplicate items',
    ],
    ['unique items', object({ c: { uniqueItems: true } }), { c: [1, '1', [1], { a: 1 }] }, null],
    ['slash in a name', object({ 'a/b': { type: 'string' } }), { 'a/b': 1 }, 'input.a/b must be string'],
    [
      'definitions',
      { $ref: '#/$defs/A', $defs: { A: object({ t: { type: 'string' } }, { required: ['t'] }) } },
      {},
      'input.t is required',
    ],
    [
      'old definitions',
      { $ref: '#/definitions/A', definitions: { A: object({ t: {} }, { required: ['t'] }) } },
      {},
      'input.t is required',
    ],
    [
      'draft 7',
      { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ t: { type: 'string' } }) },
      { t: 1 },
      'input.t must be string',
    ],
    [
      'tuple of draft 7',
      object({ t: { items: [{ type: 'string' }, { type: 'number' }], additionalItems: false } }),
      { t: ['a', 'b'] },
      'input.t.1 must be number',
    ],
    [
      '`id` is not resolved as an address',
      { $id: 'https://example.com/a', ...object({ t: { type: 'string' } }) },
      { t: 'a' },
      null,
    ],
    [
      'annotations do not validate',
      object({ t: { default: 5, examples: [1], title: 'T', 'x-order': 3 } }),
      { t: 'a' },
      null,
    ],
    ['everything', true, 5, null],
    ['nothing', false, 5, 'input boolean schema is false'],
  ])('%s', (_claim, schema, value, expected) => expect(fault(schema, value)).toBe(expected))

  it('validates a recursive schema at every level', () => {
    const tree = { $ref: '#/$defs/N', $defs: { N: object({ next: { $ref: '#/$defs/N' }, n: { type: 'number' } }) } }
    expect(fault(tree, { next: { next: { next: { n: 1 } } } })).toBeNull()
    expect(fault(tree, { next: { next: { next: { n: 'x' } } } })).toBe('input.next.next.next.n must be number')
  })
})

describe('file fields', () => {
  const text = object({ f: { type: 'string', format: 'file' } })
  const record = object({ f: { type: 'object', format: 'file' } })
  it.each([
    ['a URL', 'https://example.com/a.png'],
    ['a data URI', 'data:text/plain,hello'],
    ['an object with a uri', { uri: 'https://example.com/a.png', size: 5 }],
  ])('accepts %s in both forms', (_claim, value) => {
    expect(fault(text, { f: value })).toBeNull()
    expect(fault(record, { f: value })).toBeNull()
  })
  it.each([[5], [{ path: '/tmp/a' }], [null]])('refuse %j', (value) =>
    expect(fault(text, { f: value })).toMatch(/^input\.f/),
  )
})

describe('invalid schemas', () => {
  it.each<[string, unknown, RegExp]>([
    ['text', 'string', /must be a JSON Schema/],
    ['a list', [], /must be a JSON Schema/],
    ['an unknown type', { type: 'text' }, /schema is invalid/],
    ['a broken keyword', { minLength: 'x' }, /schema is invalid/],
    ['required as text', { required: 'a' }, /schema is invalid/],
    ['a property that is not a schema', object({ a: 'string' }), /must be a JSON Schema/],
    ['properties as a list', { properties: [] }, /schema is invalid/],
    ['an unresolvable reference', { $ref: '#/$defs/A' }, /reference/],
    ['a reference to another host', { $ref: 'https://example.com/a.json' }, /reference/],
    ['a reference into an annotation', { $ref: '#/x/a', x: { a: { type: 'string' } } }, /reference/],
    ['too large', { description: 'a'.repeat(300_000) }, /larger than/],
    ['too many subschemas', { allOf: Array.from({ length: 1600 }, () => ({})) }, /more than/],
  ])('refuses %s', (_claim, schema, message) => expect(() => compileSchema(schema)).toThrow(message))

  it('refuses a schema that is nested too deeply', () => {
    let schema: unknown = { type: 'string' }
    for (let depth = 0; depth < 100; depth += 1) schema = { not: schema }
    expect(() => compileSchema(schema)).toThrow(/nested deeper/)
  })
})

describe('schemas that could block the server', () => {
  it('a pattern that needs exponential time in other engines is checked', () => {
    const schema = object({ t: { type: 'string', pattern: '^(a+)+$' } })
    expect(fault(schema, { t: `${'a'.repeat(50_000)}b` })).toMatch(/must match pattern/)
  })
  it('a pattern that requires backtracking is skipped and reported', () => {
    const schema = object({ t: { type: 'string', pattern: '^(?!x)a' } })
    expect(compileSchema(schema).skippedPatterns).toEqual(['^(?!x)a'])
    expect(fault(schema, { t: 'zzz' })).toBeNull()
  })
  it.each(['(', '[', 'a{2,1}'])('refuses an invalid regular expression: %s', (pattern) => {
    expect(() => compileSchema(object({ t: { type: 'string', pattern } }))).toThrow(/not a regular expression/)
    expect(() => compileSchema({ patternProperties: { [pattern]: {} } })).toThrow(/not a regular expression/)
  })
  it('with a skipped name pattern, additional properties are accepted', () => {
    const schema = { patternProperties: { '^(?!x)a': { type: 'string' } }, additionalProperties: false }
    expect(fault(schema, { anything: 5 })).toBeNull()
  })
  it('a schema whose validation doubles at each level is aborted', () => {
    const twice = {
      anyOf: [object({ a: { $ref: '#' } }, { required: ['a'] }), object({ a: { $ref: '#' } }, { required: ['a'] })],
    }
    let value: unknown = 5
    for (let depth = 0; depth < 60; depth += 1) value = { a: value }
    let nowMs = 0
    const clock = () => {
      nowMs += 100
      return nowMs
    }
    const verdict = compileSchema({ ...twice, type: 'object' }).fault(value, 'input', clock)
    expect(verdict).toBe('input cannot be checked: checking it takes too long')
  })
  it('a long chain of references is compiled, or refused with a reason', () => {
    const link = (n: number) => [`d${n}`, object({ x: { $ref: `#/$defs/d${(n + 1) % 740}` } })]
    const chain = { $ref: '#/$defs/d0', $defs: Object.fromEntries(Array.from({ length: 740 }, (_, n) => link(n))) }
    const outcome = (() => {
      try {
        return compileSchema(chain).fault({}, 'input')
      } catch (error) {
        return (error as Error).message
      }
    })()
    expect([null, 'refers to itself through too many steps']).toContain(outcome)
  })
  it('a reference to itself ends', () => {
    expect(fault({ $ref: '#' }, {})).toMatch(/^input cannot be checked/)
  })
  it('a long list of unique objects is compared in linear time', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ index }))
    expect(compileSchema({ uniqueItems: true }).fault(items, 'input', () => 0)).toBeNull()
  })
  const fields = (count: number, field: (index: number) => unknown) =>
    object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, field(index)])))
  it.each<[string, () => unknown]>([
    ['many fields', () => fields(1_400, () => ({ type: 'string', minLength: 1, format: 'email' }))],
    ['many forms', () => ({ oneOf: Array.from({ length: 1_400 }, (_, index) => ({ const: index })) })],
    ['many repetitions', () => fields(1_000, (index) => ({ pattern: `[a-z]{${900 + (index % 100)}}x${index}` }))],
    ['classes of letters', () => fields(200, (index) => ({ pattern: `${'\\p{L}'.repeat(190)}${index}` }))],
    [
      'case-insensitive classes',
      () => fields(60, (index) => ({ pattern: `(?i)${'[\\p{L}\\p{N}]'.repeat(10)}${index}` })),
    ],
    ['a long enumeration', () => ({ enum: Array.from({ length: 10_000 }, (_, a) => ({ a })) })],
    [
      'dependent properties',
      () => ({
        dependentRequired: Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p${index}`, ['a', 'b']])),
      }),
    ],
    [
      'unevaluated properties of many subschemas',
      () => ({
        allOf: Array.from({ length: 700 }, (_, index) => ({ properties: { [`p${index}`]: {} } })),
        unevaluatedProperties: false,
      }),
    ],
  ])('%s do not block the server', async (_claim, schema) => {
    const read = async () => {
      try {
        compileSchema(schema()).fault({ p0: 'a@example.com' }, 'input')
      } catch {
        // A refusal is fine too.
      }
    }
    expect(await longestPiece(read)).toBeLessThan(maxPieceMs)
  })
  it('two schemas with the same id do not affect each other', () => {
    const named = (type: string) => ({
      $id: 'https://example.com/same',
      properties: { t: { $id: 'https://example.com/inner', type } },
    })
    expect(fault(named('string'), { t: 'a' })).toBeNull()
    expect(fault(named('number'), { t: 'a' })).toBe('input.t must be number')
  })
})
