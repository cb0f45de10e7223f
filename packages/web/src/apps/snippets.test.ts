// Guarantees: the generated code makes the same call for every input.
import { expect, it } from 'vitest'
import { snippet } from './snippets.ts'

const call = {
  base: 'https://mill.example',
  app: 'mill/count',
  function: 'run',
  isDefault: true,
  input: { text: "it's, true, or null", deep: [{ on: true, off: false, none: null, list: [] }] },
  key: 'KEY',
}

it('writes Python literals, and does not change the same words in strings', () => {
  const text = snippet('Python', call)
  expect(text).toContain('"text": "it\'s, true, or null"')
  expect(text).toContain('"on": True')
  expect(text).toContain('"off": False')
  expect(text).toContain('"none": None')
  expect(text).toContain('"list": []')
})

it('escapes shell quotes', () => {
  expect(snippet('curl', call)).toContain(`it'\\''s, true`)
  expect(snippet('CLI', { ...call, isDefault: false, function: 'sift' })).toMatch(
    /^millrace run mill\/count:sift --input '/,
  )
})
