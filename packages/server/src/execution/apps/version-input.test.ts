// Guards: what a deploy may send as a version, and the one form in which it is kept.
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
  it('none: one function run is made from the schemas of the version', () => {
    const { functions, default_function } = read({ input_schema: text, output_schema: true })
    expect(functions).toEqual({ run: { name: 'run', input_schema: text, output_schema: true, kind: 'run' } })
    expect(default_function).toBe('')
  })
  it('keeps the order in which a schema names its properties', () => {
    const schema = { type: 'object', properties: { z: {}, a: {}, m: {} } }
    expect(JSON.stringify(read({ input_schema: schema }).functions.run?.input_schema)).toBe(JSON.stringify(schema))
  })
  it('named by their key, kind run unless said', () => {
    const { functions } = read({ functions: { count: { name: 'other', kind: '' }, live: { kind: 'stream' } } })
    expect(functions.count).toMatchObject({ name: 'count', kind: 'run', input_schema: null })
    expect(functions.live).toMatchObject({ kind: 'stream' })
  })
  it('a sole function is the default one', () => {
    expect(read({ functions: { make: {} } }).default_function).toBe('make')
    expect(read({ functions: { make: {}, run: {} } }).default_function).toBe('')
    expect(read({ functions: { make: {}, draw: {} } }).default_function).toBe('')
    expect(read({ functions: { make: {}, draw: {} }, default_function: 'draw' }).default_function).toBe('draw')
  })
  it('tells the metadata what they can do', () => {
    const input = { functions: { run: { capabilities: ['llm'] } }, metadata: { capabilities: ['vision'] } }
    expect(read(input).metadata.capabilities).toEqual(['vision', 'llm'])
  })
})

describe('the rest', () => {
  it('metadata.ui stays only when it names an artifact', () => {
    expect(read({ metadata: { ui: { artifact: 'a/b', theme: 'x' } } }).metadata).toEqual({
      ui: { artifact: 'a/b', theme: 'x' },
    })
    expect(read({ metadata: { ui: { artifact: ' ' }, a: 1 } }).metadata).toEqual({ a: 1 })
    expect(read({ metadata: { ui: {} } }).metadata).toEqual({})
  })
  it('resources in full', () => {
    expect(read({}).resources).toEqual({ gpu: { count: 0, vram: 0, type: 'none' }, ram: 0 })
    expect(read({ resources: { gpu: { count: 2, vram: 24e9 }, ram: 1 } }).resources).toEqual({
      gpu: { count: 2, vram: 24e9, type: 'any' },
      ram: 1,
    })
  })
  it('variants take what they leave out from the version', () => {
    const { variants } = read({
      resources: { ram: 5 },
      variants: { small: { env: { A: 1 } }, big: { resources: { ram: 9 } } },
    })
    expect(variants.small).toMatchObject({ name: 'small', order: 0, env: { A: '1' }, resources: { ram: 5 } })
    expect(variants.big).toMatchObject({ order: 1, resources: { ram: 9 } })
  })
  it('env values become text', () =>
    expect(read({ env: { A: 1, B: true, C: 'x' } }).env).toEqual({ A: '1', B: 'true', C: 'x' }))
  it.each<[string, AppVersionInput, object[]]>([
    ['credentials', { required_credentials: [{ provider: 'github' }] }, [{ provider: 'github', key: 'github' }]],
    ['integrations', { required_integrations: [{ key: 'github' }] }, [{ provider: 'github', key: 'github' }]],
    [
      'both: credentials win',
      { required_credentials: [{ provider: 'a' }], required_integrations: [{ key: 'b' }] },
      [{ provider: 'a', key: 'a' }],
    ],
  ])('%s', (_claim, input, expected) => expect(read(input).required_credentials).toEqual(expected))

  it('a version that a flow backs has neither code nor kernel', () => {
    const { version, warnings } = readVersion({ kernel: 'node-22', repository: 'x', input_schema: text }, 'flow1')
    expect(version).toMatchObject({ kernel: '', repository: '', flow_version_id: 'flow1' })
    expect(warnings).toEqual([])
  })

  it.each<[string, AppVersionInput, string[]]>([
    ['nothing to say', { repository: 'x', input_schema: text }, []],
    ['no code', { input_schema: text }, ['no_code']],
    ['no schema', { repository: 'x' }, ['function_without_schema']],
    ['tags left out', { repository: 'x', input_schema: text, metadata: { tags: ['Not A Tag'] } }, ['tags_skipped']],
    ['a pattern not checked', { repository: 'x', input_schema: { pattern: '(?=a)' } }, ['pattern_not_checked']],
  ])('warns: %s', (_claim, input, expected) => expect(warnings(input)).toEqual(expected))
})

describe('refusals name the field', () => {
  it.each<[RegExp, AppVersionInput]>([
    [/^version\.input_schema schema is invalid/, { input_schema: { type: 'text' } }],
    [/^version\.output_schema must be a JSON Schema/, { output_schema: 'x' }],
    [/^version\.setup_schema must be a JSON Schema/, { setup_schema: 5 }],
    [/^version\.functions\.a\.input_schema schema is invalid/, { functions: { a: { input_schema: { type: 1 } } } }],
    [/^version\.functions must not hold the name "_a"/, { functions: { _a: {} } }],
    [/^version\.functions must not hold the name "setup"/, { functions: { setup: {} } }],
    [
      /^version\.functions must not hold the name "constructor"/,
      { functions: Object.fromEntries([['constructor', {}]]) },
    ],
    [
      /^version\.functions must be at most 100/,
      { functions: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, {}])) },
    ],
    [
      /^version\.functions\.f3\.input_schema brings the version above 5000 subschemas/,
      {
        functions: Object.fromEntries(
          Array.from({ length: 5 }, (_, n) => [`f${n}`, { input_schema: { allOf: Array(1400).fill({}) } }]),
        ),
      },
    ],
    [/^version\.default_function "b" is not among/, { functions: { a: {} }, default_function: 'b' }],
    [/^version\.default_function "toString"/, { default_function: 'toString' }],
    [/^version\.metadata\.ui\.artifact must be text/, { metadata: { ui: { artifact: 5 } } }],
    [/^version\.metadata must be at most/, { metadata: { a: 'x'.repeat(70_000) } }],
    [/^version\.env must not hold the name "A-B"/, { env: { 'A-B': 'x' } }],
    [/^version\.env\.A must be text/, { env: { A: {} } }],
    [/^version\.variants must not hold/, { variants: { 'a b': {} } }],
    [/^version\.variants\.a\.env\.B must be text/, { variants: { a: { env: { B: null } } } }],
    [/^version\.required_credentials\.0 must name a provider/, { required_credentials: [{ description: 'x' }] }],
    [/^version\.required_integrations\.0 must name a provider/, { required_integrations: [{}] }],
  ])('%s', (message, input) => expect(() => read(input)).toThrow(message))
})
