// guards: the same call as code is that call, whatever its input holds.
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

it('writes what Python has other words for, and leaves the same words in texts alone', () => {
  const text = snippet('Python', call)
  expect(text).toContain('"text": "it\'s, true, or null"')
  expect(text).toContain('"on": True')
  expect(text).toContain('"off": False')
  expect(text).toContain('"none": None')
  expect(text).toContain('"list": []')
})

it('survives the quotes of a shell', () => {
  expect(snippet('curl', call)).toContain(`it'\\''s, true`)
  expect(snippet('CLI', { ...call, isDefault: false, function: 'sift' })).toMatch(
    /^npx millrace run mill\/count:sift -i '/,
  )
})
