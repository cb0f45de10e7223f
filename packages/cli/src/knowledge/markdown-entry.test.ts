// Guards: a folder of Markdown files becomes entries and comes back byte by byte.
import { describe, expect, it } from 'vitest'
import { readEntry, writeEntry } from './markdown-entry.ts'

describe('reading', () => {
  it('takes what the front matter says', () => {
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
  it('makes the rest of the name and the first words', () => {
    expect(readEntry('Team Notes/On Call.md', '\n# Who is on call\n\nAda.')).toMatchObject({
      name: 'team-notes-on-call',
      description: 'Who is on call',
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

it('what was changed on the server is in the front matter, and reads back', () => {
  const content = '---\ndescription: Old\n---\nText\n'
  const fields = { ...readEntry('a.md', content), description: 'New', tags: ['x'] }
  const written = writeEntry('a.md', fields, content)
  expect(readEntry('a.md', written)).toEqual(fields)
  expect(written.endsWith('---\nText\n')).toBe(true)
})
