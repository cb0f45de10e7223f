// Guarantees: query words are marked in results in any form, and the passage with most of them is shown.
import { describe, expect, it } from 'vitest'
import { hasAllWords, marked, passageOf, plainOf } from './words.ts'

const markedIn = (text: string, query: string): string[] =>
  marked(text, query).flatMap((piece) => (piece.marked ? [piece.text] : []))

describe('words of a query', () => {
  it.each([
    ['beginnings', 'Counts words, and wordless lines', 'word Ä count', ['Counts', 'words', 'wordless']],
    ['other forms', 'The enlarger enlarged it', 'enlarging', ['enlarger', 'enlarged']],
    ['not what only ends alike', 'A ring, a king', 'bring', []],
    ['not short words cut to nothing', 'He sees the sea', 'se ed', ['sees', 'sea']],
  ])('are marked: %s', (_what, text, query, expected) => {
    expect(markedIn(text, query)).toEqual(expected)
    expect(
      marked(text, query)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  })

  it('all occur in a text, or not', () => {
    expect(hasAllWords('How millstones are dressed', 'dressing millstone')).toBe(true)
    expect(hasAllWords('How millstones are dressed', 'dressing weekly')).toBe(false)
  })
})

describe('a passage', () => {
  const filler = 'grain and more grain from the field '.repeat(40)
  it.each([
    [
      'where most of the words are',
      `Stones. ${filler}Here stones are dressed weekly. ${filler}`,
      'Here stones are dressed',
    ],
    ['the first of equals', `${filler}first stones here. ${filler}second stones there.`, 'first stones'],
    ['the beginning, where none is there', `Chaff flies. ${filler}`, 'Chaff flies.'],
  ])('is %s', (_what, text, expected) => {
    const passage = passageOf(text, 'stones dressed weekly')
    expect(passage).toContain(expected)
    expect(passage.length).toBeLessThan(230)
    expect(passage.endsWith(' …') || text.endsWith(passage.slice(-20))).toBe(true)
  })
  it('does not cut a short text', () => expect(passageOf('Dress them weekly.', 'dress')).toBe('Dress them weekly.'))
  it('cuts a text without spaces', () => expect(passageOf('x'.repeat(500), 'x').length).toBeLessThan(230))
})

it('converts Markdown to plain text', () => {
  const text =
    '---\nname: a\n---\n# Title\n\n- **two** [links](https://a.example) to `a_name`\n\n```ts\nconst _x = 1\n```\n'
  expect(plainOf(text)).toBe('Title two links to a_name const x = 1')
})

it.each(['[](', '[', '\n', '![', '- '])('a long text of %j becomes plain text in linear time', (unit) => {
  expect(plainOf(`a${unit.repeat(600_000 / unit.length)}b`).length).toBeGreaterThan(0)
})
