// Guarantees: an invalid inf.yml is rejected before anything is sent, with every problem named; the manifest of a new
// app is valid.
import { expect, it, test } from 'vitest'
import { CliFailure } from '../failures.ts'
import { parseManifest } from './manifest.ts'
import { appName, languages, templateFiles } from './template.ts'

const faultsOf = (text: string): readonly string[] => {
  try {
    parseManifest(text)
    return []
  } catch (error) {
    if (error instanceof CliFailure) return error.details
    throw error
  }
}

it('names all problems at once', () => {
  const faults = faultsOf('name: Not A Slug\nenv: [1]\n')
  expect(faults.some((line) => line.startsWith('name: '))).toBe(true)
  expect(faults.some((line) => line.startsWith('env: '))).toBe(true)
})

test.each([
  ['resources: { ram: lots }', 'resources.ram: expected a number of gigabytes, or a text such as 512mb, found lots'],
  ['resources: { gpu: { count: one } }', 'resources.gpu.count: expected a whole number, found one'],
  [
    'resources: { gpu: { type: cuda } }',
    'resources.gpu.type: expected one of any, none, nvidia, amd, intel, apple, found cuda',
  ],
  ['secrets: { key: X }', 'secrets: expected a list, found {"key":"X"}'],
  ['secrets: [{ name: X }]', 'secrets.0.key: is missing'],
  ['env: { A: [1] }', 'env.A: expected a text, a number or true or false, found [1]'],
  ['title: 7', 'title: expected a text, found 7'],
  [`title: ${'x'.repeat(201)}`, 'title: expected at most 200 characters, found 201'],
  [`description: ${'x'.repeat(10_001)}`, 'description: expected at most 10000 characters, found 10001'],
  [
    `functions: [{ name: run, description: ${'x'.repeat(2001)} }]`,
    'functions.0.description: expected at most 2000 characters, found 2001',
  ],
  [
    `secrets: [{ key: A, description: ${'x'.repeat(1001)} }]`,
    'secrets.0.description: expected at most 1000 characters, found 1001',
  ],
  [
    'secrets: [{ key: not-a-name }]',
    'secrets.0.key: expected up to 128 letters, digits and underscores, not starting with a digit, found not-a-name',
  ],
  [`env: { A: ${'x'.repeat(32_769)} }`, 'env.A: expected at most 32768 characters, found 32769'],
  ['kernel: python-3.99', 'kernel: expected one of python-3.10, python-3.11, python-3.12, node-22, found python-3.99'],
  [
    'variants: { big: { resources: { ram: [] } } }',
    'variants.big.resources.ram: expected a number of gigabytes, or a text such as 512mb, found []',
  ],
])('%s is refused by its field', (line, fault) => expect(faultsOf(`name: a\n${line}\n`)).toEqual([fault]))

// Manifests as in the public catalog.
test.each([
  ['vram: 0', 'resources:\n  gpu: { count: 0, vram: 0, type: none }\n  ram: 0\nenv: {}\nmetadata: {}\n'],
  ['sizes', 'resources:\n  gpu: { count: 1, vram: 24gb, type: any }\n  ram: 32G\n'],
  ['images', 'images: { card: "", thumbnail: "", banner: "" }\nsecrets:\n  - key: A\n    description: b\n'],
  ['variants', 'variants:\n  default:\n    name: ""\n    order: 0\n    env: {}\n    python: "3.11"\n'],
  ['nothing', 'env:\nimages:\nresources:\n  gpu:\n'],
])('accepts a manifest with %s without notices', (_claim, text) => {
  expect(parseManifest(`name: a\n${text}`).notices).toEqual([])
})

test.each([
  ['secret: [{ key: X }]', ['Unknown field secret. Did you mean secrets?']],
  ['resources: { vram: 7 }', ['Unknown field resources.vram. Did you mean resources.gpu.vram?']],
  ['is_public: true\ngpucount: 1', ['Unknown fields of inf.yml: is_public, gpucount']],
  ['secrets: [{ key: X, optionl: true }]', ['Unknown field secrets.0.optionl. Did you mean optional?']],
])('reports %s and continues', (line, notices) => {
  expect(parseManifest(`name: a\n${line}\n`).notices).toEqual(notices)
})

test.each(['python-3.12', 'node-22', '3.12', '""', '3.11'])('accepts the kernel %s', (kernel) =>
  expect(faultsOf(`name: a\nkernel: "${kernel.replaceAll('"', '')}"\n`)).toEqual([]),
)

it('counts a description in characters, not in code units', () =>
  expect(faultsOf(`name: a\ndescription: ${'🦊'.repeat(200)}\n`)).toEqual([]))

test.each([
  ['a known category', 'name: a\ncategory: social\n', { name: 'a', category: 'social' }, []],
  [
    'a category nobody knows',
    'name: a\ncategory: magic\nmetadata: { tier: 1 }\n',
    { category: 'other', metadata: { category: 'magic', tier: 1 } },
    [/^category: magic is unknown/],
  ],
  [
    'a description of more than 200 characters',
    `name: a\ndescription: ${'🦊'.repeat(196)} ${'x'.repeat(9)}\nmetadata: { tier: 1 }\n`,
    {
      description: `${'🦊'.repeat(196)}...`,
      metadata: { description: `${'🦊'.repeat(196)} ${'x'.repeat(9)}`, tier: 1 },
    },
    [/^description: shortened from 206 to 200 characters/],
  ],
  ['a name with dots', 'name: vision-2.5_Flash\n', { name: 'vision-2-5-flash' }, [/^name: vision-2.5_Flash becomes/]],
])('accepts %s with a notice', (_claim, text, manifest, notices) =>
  expect(parseManifest(text)).toMatchObject({
    manifest,
    notices: notices.map((notice) => expect.stringMatching(notice)),
  }),
)

test.each(['', '- a', 'name: [', 'text'])('rejects %j', (text) => expect(() => parseManifest(text)).toThrow())

test.each(languages)('a new %s app has a valid manifest', (language) => {
  const manifest = templateFiles('my-app', language)['inf.yml'] ?? ''
  expect(parseManifest(manifest)).toMatchObject({
    manifest: { name: 'my-app', default_function: 'run' },
    notices: [],
  })
})

test.each([
  ['My App', 'my-app'],
  ['Zoë_2', 'zoe-2'],
  ['--', 'app'],
  ['名前', 'app'],
  [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
])('a folder %s suggests %s', (folder, expected) => expect(appName(folder)).toBe(expected))
