// Guarantees: which versions a deployment may send, and the form in which they are stored.
import type { AppVersionInput } from '@millrace/contract/apps'
import { describe, expect, it } from 'vitest'
import { readVersion } from './version-input.ts'

const text = { type: 'object', properties: { text: { type: 'string' } } }

const read = (input: AppVersionInput) => readVersion(input, null).version
const warnings = (input: AppVersionInput) => readVersion(input, null).warnings.map((warning) => warning.code)

describe('kernels', () => {
  it.each([
    [undefined, 'python-3.11'],
    ['', 'python-3.11'],
    ['3.11', 'python-3.11'],
    ['3.12', 'python-3.12'],
    ['python-3.10', 'python-3.10'],
    [' node-22 ', 'node-22'],
  ])('%s reads as %s', (kernel, expected) => expect(read(kernel === undefined ? {} : { kernel }).kernel).toBe(expected))
  it.each(['ruby', '22', 'python', 'node-18', 'python-2.7'])('refuses %s', (kernel) =>
    expect(() => read({ kernel })).toThrow(/^version\.kernel must be one of/),
  )
})

describe('functions', () => {
  it('without functions, the schemas of the version make one function `run`', () => {
    const { functions, default_function } = read({ input_schema: text, output_schema: true })
    expect(functions).toEqual({ run: { name: 'run', input_schema: text, output_schema: true, kind: 'run' } })
    expect(default_function).toBe('')
  })
  it("keeps the order of a schema's properties", () => {
    const schema = { type: 'object', properties: { z: {}, a: {}, m: {} } }
    expect(JSON.stringify(read({ input_schema: schema }).functions.run?.input_schema)).toBe(JSON.stringify(schema))
  })
  it('names functions by their key, with the default kind run', () => {
    const { functions } = read({ functions: { count: { name: 'other', kind: '' }, live: { kind: 'stream' } } })
    expect(functions.count).toMatchObject({ name: 'count', kind: 'run', input_schema: null })
    expect(functions.live).toMatchObject({ kind: 'stream' })
  })
  it('the only function is the default one', () => {
    expect(read({ functions: { make: {} } }).default_function).toBe('make')
    expect(read({ functions: { make: {}, run: {} } }).default_function).toBe('')
    expect(read({ functions: { make: {}, draw: {} } }).default_function).toBe('')
    expect(read({ functions: { make: {}, draw: {} }, default_function: 'draw' }).default_function).toBe('draw')
  })
  it('adds their capabilities to the metadata', () => {
    const input = { functions: { run: { capabilities: ['llm'] } }, metadata: { capabilities: ['vision'] } }
    expect(read(input).metadata.capabilities).toEqual(['vision', 'llm'])
  })
})

describe('the rest', () => {
  it('keeps metadata.ui only if it names an artifact', () => {
    expect(read({ metadata: { ui: { artifact: 'a/b', theme: 'x' } } }).metadata).toEqual({
      ui: { artifact: 'a/b', theme: 'x' },
    })
    expect(read({ metadata: { ui: { artifact: ' ' }, a: 1 } }).metadata).toEqual({ a: 1 })
    expect(read({ metadata: { ui: {} } }).metadata).toEqual({})
  })
  it('stores resources completely', () => {
    expect(read({}).resources).toEqual({ gpu: { count: 0, vram: 0, type: 'none' }, ram: 0 })
    expect(read({ resources: { gpu: { count: 2, vram: 24e9 }, ram: 1 } }).resources).toEqual({
      gpu: { count: 2, vram: 24e9, type: 'any' },
      ram: 1,
    })
  })
  it('variants inherit omitted values from the version', () => {
    const { variants } = read({
      resources: { ram: 5 },
      variants: { small: { env: { A: 1 } }, big: { resources: { ram: 9 } } },
    })
    expect(variants.small).toMatchObject({ name: 'small', order: 0, env: { A: '1' }, resources: { ram: 5 } })
    expect(variants.big).toMatchObject({ order: 1, resources: { ram: 9 } })
  })
  it('converts env values to text', () =>
    expect(read({ env: { A: 1, B: true, C: 'x' } }).env).toEqual({ A: '1', B: 'true', C: 'x' }))
  it.each<[string, AppVersionInput, object[]]>([
    ['credentials', { required_credentials: [{ provider: 'github' }] }, [{ provider: 'github', key: 'github' }]],
    ['integrations', { required_integrations: [{ key: 'github' }] }, [{ provider: 'github', key: 'github' }]],
    [
      'credentials take precedence over their old name',
      { required_credentials: [{ provider: 'a' }], required_integrations: [{ key: 'b' }] },
      [{ provider: 'a', key: 'a' }],
    ],
  ])('%s', (_claim, input, expected) => expect(read(input).required_credentials).toEqual(expected))

  it('a flow-backed version has neither code nor kernel', () => {
    const { version, warnings } = readVersion({ kernel: 'node-22', repository: 'x', input_schema: text }, 'flow1')
    expect(version).toMatchObject({ kernel: '', repository: '', flow_version_id: 'flow1' })
    expect(warnings).toEqual([])
  })

  it.each<[string, AppVersionInput, string[]]>([
    ['nothing', { repository: 'x', input_schema: text }, []],
    ['no code', { input_schema: text }, ['no_code']],
    ['no schema', { repository: 'x' }, ['function_without_schema']],
    ['skipped tags', { repository: 'x', input_schema: text, metadata: { tags: ['Not A Tag'] } }, ['tags_skipped']],
    ['a skipped pattern', { repository: 'x', input_schema: { pattern: '(?=a)' } }, ['pattern_not_checked']],
  ])('warns: %s', (_claim, input, expected) => expect(warnings(input)).toEqual(expected))
})

describe('refusals name the field', () => {
  it.each<[RegExp, AppVersionInput]>([
    [/^version\.input_schema schema is invalid/, { input_schema: { type: 'text' } }],
    [/^version\.output_schema must be a JSON Schema/, { output_schema: 'x' }],
    [/^version\.setup_schema must be a JSON Schema/, { setup_schema: 5 }],
    [/^version\.functions\.a\.input_schema schema is invalid/, { functions: { a: { input_schema: { type: 1 } } } }],
    [/^version\.functions must not contain the name "_a"/, { functions: { _a: {} } }],
    [/^version\.functions must not contain the name "setup"/, { functions: { setup: {} } }],
    [
      /^version\.functions must not contain the name "constructor"/,
      { functions: Object.fromEntries([['constructor', {}]]) },
    ],
    [
      /^version\.functions must have at most 200 entries/,
      { functions: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, {}])) },
    ],
    [
      /^version\.functions\.f3\.input_schema exceeds the limit of 5000 subschemas per version/,
      {
        functions: Object.fromEntries(
          Array.from({ length: 5 }, (_, n) => [`f${n}`, { input_schema: { allOf: Array(1400).fill({}) } }]),
        ),
      },
    ],
    [/^version\.default_function "b" is not one of/, { functions: { a: {} }, default_function: 'b' }],
    [/^version\.default_function "toString"/, { default_function: 'toString' }],
    [/^version\.metadata\.ui\.artifact must be a string/, { metadata: { ui: { artifact: 5 } } }],
    [/^version\.metadata must be at most/, { metadata: { a: 'x'.repeat(70_000) } }],
    [/^version\.env must not contain the name "A-B"/, { env: { 'A-B': 'x' } }],
    [/^version\.env\.A must be a string/, { env: { A: {} } }],
    [/^version\.variants must not contain/, { variants: { 'a b': {} } }],
    [/^version\.variants\.a\.env\.B must be a string/, { variants: { a: { env: { B: null } } } }],
    [/^version\.required_credentials\.0 must have a provider/, { required_credentials: [{ description: 'x' }] }],
    [/^version\.required_integrations\.0 must have a provider/, { required_integrations: [{}] }],
  ])('%s', (message, input) => expect(() => read(input)).toThrow(message))
})
