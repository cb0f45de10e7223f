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

test.each([
  ['a kernel', 'name: a\nkernel: cobol-60\n', 'kernel: cobol-60 is not known'],
  ['a category', 'name: a\ncategory: magic\n', 'category: must be one of'],
])('refuses %s nobody knows', (_claim, text, expected) => expect(faultsOf(text).join('\n')).toContain(expected))

test.each(['', '- a', 'name: [', 'text'])('%j is no manifest', (text) => expect(() => parseManifest(text)).toThrow())

test.each(languages)('a new %s app has a right one', (language) => {
  const manifest = templateFiles('my-app', language)['inf.yml'] ?? ''
  expect(parseManifest(manifest)).toMatchObject({ name: 'my-app', default_function: 'run' })
})

test.each([
  ['My App', 'my-app'],
  ['Zoë_2', 'zoe-2'],
  ['--', 'app'],
  ['名前', 'app'],
  [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
])('a folder %s suggests %s', (folder, expected) => expect(slugOf(folder)).toBe(expected))
