// Guarantees: every field of every bundled app gets a suitable input, initial values are valid except for missing required
// fields, and faults name their field.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { faultsOf } from './faults.ts'
import { firstValue, kindOf, resolve, type Schema, simplify } from './schema.ts'

const apps = fileURLToPath(new URL('../../../../apps', import.meta.url))

type Described = { functions: Record<string, { input_schema: Schema }> }

const bundled = readdirSync(apps).flatMap((app) => {
  const text = readFileSync(join(apps, app, 'functions_schema.json'), 'utf8')
  return Object.entries((JSON.parse(text) as Described).functions).map(
    ([name, { input_schema }]) => [`${app}:${name}`, input_schema] as const,
  )
})

/** Every field of a schema with the kind of its input. */
const kindsIn = (given: Schema, root: Schema, name: string, depth = 0): [string, string][] => {
  const schema = simplify(given, root)
  const kind = kindOf(schema, name)
  const inner =
    depth > 6
      ? []
      : kind === 'object'
        ? Object.entries(schema.properties ?? {}).flatMap(([key, each]) =>
            kindsIn(each, root, `${name}.${key}`, depth + 1),
          )
        : kind === 'list' && typeof schema.items === 'object'
          ? kindsIn(schema.items, root, `${name}[]`, depth + 1)
          : []
  return [[name, kind], ...inner]
}

describe('the form of a bundled app', () => {
  it('exists for all of them', () => expect(bundled.length).toBeGreaterThan(8))

  it.each(bundled)('%s: each field has an input; only fields without a schema are raw JSON', (_name, schema) => {
    const kinds = kindsIn(schema, schema, 'input')
    expect(kinds[0]?.[1]).toMatch(/object|json/)
    for (const [path, kind] of kinds.filter(([, each]) => each === 'json')) {
      const field = path.split('.').at(-1) ?? ''
      expect({ field, kind }).toEqual({ field, kind: 'json' })
    }
    expect(kinds.every(([, kind]) => kind !== '')).toBe(true)
  })

  it.each(bundled)('%s: the initial value lacks only required fields without a default', (_name, schema) => {
    const faults = faultsOf(schema, firstValue(schema, schema) ?? {}, schema)
    for (const { message } of faults) expect(message).toMatch(/is required$/)
  })
})

describe('kinds', () => {
  it.each<[string, Schema, string, string]>([
    ['text', { type: 'string' }, 'name', 'text'],
    ['a prompt', { type: 'string' }, 'system_prompt', 'long text'],
    ['a short body', { type: 'string', maxLength: 50 }, 'body', 'text'],
    ['a file', { type: 'string', format: 'file' }, 'image', 'file'],
    ['a password', { type: 'string', format: 'password' }, 'pin', 'secret'],
    ['a bounded number', { type: 'number', minimum: 0, maximum: 1 }, 'weight', 'range'],
    ['a wide integer', { type: 'integer', minimum: 1, maximum: 300_000 }, 'ms', 'number'],
    ['an open number', { type: 'number' }, 'n', 'number'],
    ['choices', { type: 'string', enum: ['a', 'b'] }, 'mode', 'enum'],
    ['constants', { oneOf: [{ const: 'a' }, { const: 'b' }] }, 'mode', 'enum'],
    ['optional text', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'name', 'text'],
    ['optional by type', { type: ['integer', 'null'] }, 'n', 'number'],
    ['text or list', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'stop', 'union'],
    ['named fields', { type: 'object', properties: { a: {} } }, 'o', 'object'],
    ['headers', { type: 'object', additionalProperties: { type: 'string' } }, 'headers', 'map'],
    ['a free object', { type: 'object' }, 'o', 'json'],
    ['anything', {}, 'x', 'json'],
    ['a list of anything', { type: 'array', items: {} }, 'x', 'json'],
  ])('%s', (_claim, schema, name, kind) => expect(kindOf(simplify(schema, schema), name)).toBe(kind))
})

describe('references', () => {
  const root: Schema = {
    $defs: { name: { type: 'string', minLength: 2 }, loop: { $ref: '#/$defs/loop' } },
    properties: { a: { $ref: '#/$defs/name', title: 'A' } },
  }
  it('are followed, and sibling keywords win', () =>
    expect(resolve({ $ref: '#/$defs/name', title: 'A' }, root)).toEqual({ type: 'string', minLength: 2, title: 'A' }))
  it('that are circular or remote accept any value', () => {
    expect(kindOf(resolve({ $ref: '#/$defs/loop' }, root))).toBe('json')
    expect(kindOf(resolve({ $ref: 'https://elsewhere.example/s' }, root))).toBe('json')
  })
})

describe('faults', () => {
  const schema: Schema = {
    type: 'object',
    required: ['name', 'deep'],
    properties: {
      name: { type: 'string', minLength: 2 },
      n: { type: 'integer', minimum: 1, maximum: 3 },
      mode: { enum: ['a', 'b'] },
      deep: {
        type: 'object',
        required: ['x'],
        properties: { x: { type: 'array', items: { type: 'number' }, minItems: 1 } },
      },
    },
  }
  it.each<[string, unknown, string[]]>([
    ['a valid value', { name: 'ab', deep: { x: [1] } }, []],
    ['missing and empty', { name: '', deep: {} }, ['name', 'deep.x']],
    ['bounds', { name: 'a', n: 4, deep: { x: [] } }, ['name', 'n', 'deep.x']],
    ['types inside lists', { name: 'ab', deep: { x: [1, 'two'] } }, ['deep.x.1']],
    ['a value outside the enum', { name: 'ab', mode: 'c', deep: { x: [1] } }, ['mode']],
    ['a fraction is no integer', { name: 'ab', n: 1.5, deep: { x: [1] } }, ['n']],
  ])('%s', (_claim, value, paths) => expect(faultsOf(schema, value, schema).map(({ path }) => path)).toEqual(paths))
})
