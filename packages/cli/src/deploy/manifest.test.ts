// Guards: a wrong inf.yml is refused before anything is sent, every fault named; and a new app's is right.
import { expect, it, test } from 'vitest'
import { CliFailure } from '../failures.ts'
import { parseManifest } from './manifest.ts'
import { languages, slugOf, templateFiles } from './template.ts'

const faultsOf = (text: string): readonly string[] => {
  try {
    parseManifest(text)
    return []
  } catch (error) {
    if (error instanceof CliFailure) return error.details
    throw error
  }
}

it('names every fault at once', () => {
  const faults = faultsOf('name: Not A Slug\nenv: [1]\n')
  expect(faults.some((line) => line.startsWith('name: '))).toBe(true)
  expect(faults.some((line) => line.startsWith('env: '))).toBe(true)
})

it('refuses a kernel nobody knows', () =>
  expect(faultsOf('name: a\nkernel: cobol-60\n').join('\n')).toContain('kernel: cobol-60 is not known'))

test.each([
  ['a known category', 'name: a\ncategory: social\n', { name: 'a', category: 'social' }, []],
  [
    'a category nobody knows',
    'name: a\ncategory: magic\nmetadata: { tier: 1 }\n',
    { category: 'other', metadata: { category: 'magic', tier: 1 } },
    [/^category: magic is not known/],
  ],
  ['a name with dots', 'name: vision-2.5_Flash\n', { name: 'vision-2-5-flash' }, [/^name: vision-2.5_Flash becomes/]],
])('takes %s and says what it made of it', (_claim, text, manifest, notices) =>
  expect(parseManifest(text)).toMatchObject({
    manifest,
    notices: notices.map((notice) => expect.stringMatching(notice)),
  }),
)

test.each(['', '- a', 'name: [', 'text'])('%j is no manifest', (text) => expect(() => parseManifest(text)).toThrow())

test.each(languages)('a new %s app has a right one', (language) => {
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
])('a folder %s suggests %s', (folder, expected) => expect(slugOf(folder)).toBe(expected))
