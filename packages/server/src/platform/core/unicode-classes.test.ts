// Guarantees: a character class has its standard meaning in a pattern, and its first use costs no more than later ones.
import { expect, it } from 'vitest'
import { longestPiece, maxPieceMs } from '../../testing/event-loop.ts'
import { linearRegExp } from './linear-regexp.ts'

const texts = [
  'a',
  'Z',
  'é',
  'ß',
  'Σ',
  'ж',
  '漢',
  'か',
  '7',
  '٣',
  'Ⅷ',
  '_',
  '-',
  '!',
  '€',
  ' ',
  '\u0301',
  '𝒳',
  '😀',
  '\n',
  ']',
  '^',
]

const patterns: [pattern: string, flags?: string, theirs?: string][] = [
  ['^\\p{L}$'],
  ['^\\p{Lu}$'],
  ['^\\P{L}$'],
  ['^\\pN$', 'u', '^\\p{N}$'],
  ['^\\p{^Greek}$', 'u', '^\\P{Script=Greek}$'],
  ['^\\p{Han}$', 'u', '^\\p{Script=Han}$'],
  ['^[\\p{L}\\p{N}_]$'],
  ['^[^\\p{L}\\d]$'],
  ['^[\\P{L}z]$'],
  ['^[\\]\\p{Sc}]$'],
  ['(?i)^\\p{Lu}$', 'iu', '^\\p{Lu}$'],
  ['(?i)^[A\\p{N}]$', 'iu', '^[A\\p{N}]$'],
  ['^(?:\\\\p{L}|\\p{Zs})$', 'u', '^(?:\\\\p\\{L\\}|\\p{Zs})$'],
]

it.each(patterns)('%s', (pattern, flags = 'u', theirs = pattern) => {
  const [ours, expected] = [linearRegExp(pattern), new RegExp(theirs, flags)]
  expect(texts.filter((text) => ours.test(text))).toEqual(texts.filter((text) => expected.test(text)))
})

it.each(['\\p{Nobody}', '[\\p{L}', '\\p{', '(?i)[^\\p{L}]', '\\p{toString}'])('%s is rejected', (pattern) =>
  expect(() => linearRegExp(pattern)).toThrow(),
)

it('the first use of a class does not block the event loop', async () => {
  const unused = ['Cyrillic', 'Arabic', 'So', 'Hebrew', 'Thai', 'Sm', 'Armenian', 'Georgian', 'Sc', 'Tibetan', 'Khmer']
  const pattern = () => `^[\\p{${unused.shift() ?? 'Bengali'}}]+$`
  const longest = await longestPiece(async () => linearRegExp(pattern()))
  expect(longest).toBeLessThan(maxPieceMs)
})
