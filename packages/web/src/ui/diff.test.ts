// Guarantees: a diff reproduces both texts and is minimal for small changes.
import { describe, expect, it } from 'vitest'
import { diffLines, folded } from './diff.ts'

const apply = (before: string, after: string) => {
  const lines = diffLines(before, after)
  const side = (left: 'gone' | 'new') =>
    lines.flatMap(({ kind, text }) => (kind === 'same' || kind === left ? [text] : [])).join('\n')
  return [side('gone'), side('new')]
}

describe('a diff', () => {
  it.each([
    ['', ''],
    ['a\nb\nc', 'a\nc'],
    ['a\nc', 'a\nb\nc'],
    ['a\nb\nc\nd', 'x\nb\ny\nd\nd'],
    ['same\nsame', 'same'],
    ['one', 'two'],
  ])('of %j and %j reproduces both', (before, after) => {
    expect(apply(before, after)).toEqual([before, after])
  })
  it('contains only the changed lines', () => {
    const lines = diffLines('a\nb\nc\nd', 'a\nB\nc\nd')
    expect(lines.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'gone', text: 'b' },
      { kind: 'new', text: 'B' },
    ])
  })
  it('of very long texts replaces the middle', () => {
    const long = (word: string) => Array.from({ length: 3000 }, (_, line) => `${word} ${line}`).join('\n')
    expect(apply(long('a'), long('b'))).toEqual([long('a'), long('b')])
  })
  it('collapses unchanged lines', () => {
    const text = Array.from({ length: 20 }, (_, line) => `line ${line}`)
    const parts = folded(diffLines(text.join('\n'), [...text.slice(0, 10), 'x', ...text.slice(10)].join('\n')))
    expect(parts.map((part) => ('hidden' in part ? part.hidden : part.lines.length))).toEqual([7, 7, 7])
  })
})
