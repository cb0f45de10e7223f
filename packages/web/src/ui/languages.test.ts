// Guarantees: CEL and Markdown are highlighted by token, and the parser always reaches the end of a line.
import { type StreamParser, StringStream } from '@codemirror/language'
import { describe, expect, it } from 'vitest'
import { cel, markdown } from './languages.ts'

const named = <S>(parser: StreamParser<S>, text: string): string[] => {
  const state = parser.startState?.(2) as S
  return text.split('\n').flatMap((line) => {
    const found: string[] = []
    const stream = new StringStream(line, 2, 2)
    while (!stream.eol()) {
      const name = parser.token(stream, state)
      if (name !== null) found.push(`${name} ${stream.current()}`)
      expect(stream.pos).toBeGreaterThan(stream.start)
      stream.start = stream.pos
    }
    return found
  })
}

describe('CEL', () => {
  it.each([
    [
      'input.name == "a b" && true',
      ['variableName input', 'propertyName name', 'operator ==', 'string "a b"', 'operator &&', 'bool true'],
    ],
    [
      'size(input.list) > 1.5e3',
      ['keyword size', 'variableName input', 'propertyName list', 'operator >', 'number 1.5e3'],
    ],
    ["'x' in input.in", ["string 'x'", 'keyword in', 'variableName input', 'propertyName in']],
    [
      'null ? 0x1fu : -2 // why',
      ['null null', 'operator ?', 'number 0x1fu', 'operator :', 'operator -', 'number 2', 'comment // why'],
    ],
    [String.raw`r"a\"b" + "open`, [String.raw`string r"a\"b"`, 'operator +', 'string "open']],
    ['e.filter(x, x.ok)', ['variableName e', 'keyword filter', 'variableName x', 'variableName x', 'propertyName ok']],
  ])('%s', (text, found) => {
    expect(named(cel, text)).toEqual(found)
  })
})

describe('Markdown', () => {
  it.each([
    ['## A *title*', ['heading ##', 'heading  A *title*']],
    ['- **strong** and *soft*', ['list -', 'strong **strong**', 'emphasis *soft*']],
    ['2. `code` [a link](https://x.test)', ['list 2.', 'monospace `code`', 'link [a link](https://x.test)']],
    ['> said', ['quote >']],
    ['snake_case_name is plain', []],
    ['2 * 3 * 4', []],
    ['---', ['contentSeparator ---']],
    [
      '```js\n# no heading\n```\n# one',
      ['monospace ```js', 'monospace # no heading', 'monospace ```', 'heading #', 'heading  one'],
    ],
  ])('%j', (text, found) => {
    expect(named(markdown, text)).toEqual(found)
  })
})

it('a long string of escapes that does not end is highlighted in linear time', () => {
  expect(named(cel, `"""${'\\a'.repeat(30_000)}`)[0]).toContain('string')
})
