// Guarantees: the voice check finds the old phrases in comments, strings and documents, and accepts questions and
// headings.
import { expect, it } from 'vitest'
import { findOldVoice } from './voice.ts'

const matches = (text: string, kind: 'code' | 'document' = 'code'): string[] =>
  findOldVoice(text, kind).map(({ match }) => match)

it.each([
  ['// Who asks: a caller.', 'Who asks: a caller'],
  ['/** What a task costs. */', 'What a task costs'],
  ["throw fail('conflict', 'Whoever holds it')", 'Whoever'],
  ['const a = 1 // the engine is told of it', 'is told'],
  ['-- one that comes along', 'comes along'],
  ['// the work of nobody’s own', 'nobody’s'],
  ['// from now on it is kept', 'from now on'],
  ['// a string stands in the path', 'stands in'],
  ['without a moment it is fired', 'without a moment'],
])('%s', (text, match) => expect(matches(text)).toContain(match))

it('joins the lines of a comment', () => {
  const text = 'const a = 1\n// the engine is\n// told of it\n'
  expect(findOldVoice(text, 'code')).toEqual([{ line: 2, match: 'is told' }])
})

it.each([
  '// What happens when two callers race?\n',
  '// What happens when two\n// callers race?\n',
  "label('What is the workspace’s name?')",
  '// A name that does not exist answers not_found, whatever its length',
  'const stand = standIn',
])('accepts %j', (text) => expect(matches(text)).toEqual([]))

it('accepts a heading of a document', () => {
  expect(matches('# What is inside\n\nWhat it is.\n', 'document')).toEqual(['What it is'])
})
