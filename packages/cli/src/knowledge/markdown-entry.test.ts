// Guarantees: a folder of Markdown files becomes entries and is exported byte by byte.
import { describe, expect, it } from 'vitest'
import { readEntry, writeEntry } from './markdown-entry.ts'

describe('reading', () => {
  it('reads the fields of the front matter', () => {
    const text =
      '---\nname: my-note\ntitle: My note\ndescription: D\ntype: concept\nlifecycle: decay\ntags: [a, b]\nscope: lang:go\n---\nText\n'
    expect(readEntry('x.md', text)).toEqual({
      name: 'my-note',
      title: 'My note',
      description: 'D',
      type: 'concept',
      lifecycle: 'decay',
      tags: ['a', 'b'],
      scope: ['lang:go'],
    })
  })
  it('derives the other fields from the name and the first words', () => {
    expect(readEntry('Team Notes/On Call.md', '\n# The on-call schedule\n\nAda.')).toMatchObject({
      name: 'team-notes-on-call',
      description: 'The on-call schedule',
      type: 'observation',
    })
    expect(readEntry('empty.md', '').description).toBe('empty')
  })
})

it.each([
  ['plain', '# Title\n\nText\n'],
  ['with front matter', '---\ndescription: D\ntags:\n  - a\n---\n\nText'],
  ['Windows line ends', '---\r\ndescription: D\r\n---\r\nText\r\n'],
  ['a byte order mark', '\uFEFF---\ndescription: D\n---\nText'],
  ['empty', ''],
  ['other keys and comments', '---\n# a comment\ndescription:   "D"\ncolour: red\n---\nText'],
])('%s comes back as it was', (_claim, content) => {
  expect(writeEntry('notes/a.md', readEntry('notes/a.md', content), content)).toBe(content)
})

it('writes changes of the server to the front matter and reads them back', () => {
  const content = '---\ndescription: Old\n---\nText\n'
  const fields = { ...readEntry('a.md', content), description: 'New', tags: ['x'] }
  const written = writeEntry('a.md', fields, content)
  expect(readEntry('a.md', written)).toEqual(fields)
  expect(written.endsWith('---\nText\n')).toBe(true)
})
