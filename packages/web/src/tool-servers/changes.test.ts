// Guarantees: the form of a tool server sends only the fields that changed.
import { expect, it } from 'vitest'
import { changedTexts, textsOf } from './changes.ts'

const stored = textsOf({
  name: 'Mill tools',
  title: '',
  server_url: 'https://tools.example/mcp',
  description: 'Stones',
  documentation_url: '',
})

it.each([
  ['nothing', {}, {}],
  ['a title', { title: ' Mill ' }, { title: 'Mill' }],
  ['a removed text', { description: '' }, { description: '' }],
  ['nothing for added spaces', { server_url: 'https://tools.example/mcp ' }, {}],
])('sends %s', (_what, typed, expected) => {
  expect(changedTexts(stored, { ...stored, ...typed })).toEqual(expected)
})
