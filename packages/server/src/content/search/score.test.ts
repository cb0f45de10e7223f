// Guarantees: the computation of scores, the decay of entries, the stored part of a session report, and the shortening
// of descriptions.
import { describe, expect, it } from 'vitest'
import { fusedScore, lexicalScore, semanticScore, type Term, weighed } from './score.ts'
import { clipped } from './suggestions/clipped.ts'
import { confidence } from './suggestions/decay.ts'
import { readReport } from './suggestions/session-end.ts'
import { normalised, wordsOf } from './words.ts'

const day = 86_400_000

it.each([
  [0, 1],
  [15, Math.SQRT1_2],
  [30, 0.5],
  [60, 0.25],
  [90, 0.125],
  [-1, 1],
])('%s days after its confirmation an entry has the confidence %s', (days, expected) => {
  const now = new Date('2026-01-01T00:00:00Z')
  expect(confidence(new Date(now.getTime() - days * day), now)).toBeCloseTo(expected, 10)
})
it('an entry without decay counts in full', () => expect(confidence(null, new Date())).toBe(1))

describe('scores', () => {
  const term = (word: string, hit: Term['hit'], likeness = 0): Term => ({ word, hit, likeness })
  it('all words in the head score 1, none 0; words in the text score a little less', () => {
    expect(lexicalScore([term('resize', 'head'), term('image', 'head')])).toBe(1)
    expect(lexicalScore([term('resize', 'none')])).toBe(0)
    expect(lexicalScore([])).toBe(0)
    expect(lexicalScore([term('resize', 'body')])).toBeGreaterThanOrEqual(0.8)
  })
  it('a misspelled word counts by its similarity, and below the threshold not at all', () => {
    expect(lexicalScore([term('imgae', 'none', 0.6)])).toBeCloseTo(0.54)
    expect(lexicalScore([term('imgae', 'none', 0.4)])).toBe(0)
  })
  it('fusion never falls below the better component', () => {
    for (const [a, b] of [
      [0, 0],
      [0.3, 0.9],
      [1, 0.2],
    ] as const)
      expect(fusedScore(a, b)).toBeGreaterThanOrEqual(Math.max(a, b))
    expect(fusedScore(0.5, 0.5)).toBe(0.75)
  })
  it('meaning counts only above the cosine of unrelated texts', () => {
    expect(semanticScore(0.1)).toBe(0)
    expect(semanticScore(0.9)).toBe(1)
  })
  it('a decayed entry still reaches the minimum score of suggestions', () => expect(weighed(1, 0)).toBe(0.8))
})

it('words are distinct and limited in number', () => {
  expect(wordsOf('Make the IMAGE, make-it big! größer')).toEqual(['make', 'the', 'image', 'it', 'big', 'größer'])
  expect(wordsOf('a b c d e f g h i j k l m n o p q r s t')).toHaveLength(16)
  expect(wordsOf("'; drop table --")).toEqual(['drop', 'table'])
  expect(normalised('  Image-Upscaler\n two ')).toBe('image upscaler two')
})

it('descriptions are shortened to one line of 200 characters', () => {
  expect(clipped('a\n  b')).toBe('a b')
  const long = clipped('😀'.repeat(300))
  expect([...long]).toHaveLength(200)
  expect(long.endsWith('...')).toBe(true)
})

describe('the report of a session', () => {
  const report = (more: object) => readReport({ session_id: 's', user_turns: 1, ...more })
  it.each([{ session_id: '' }, { session_id: 'é'.repeat(65) }, { agent: 'x'.repeat(65) }, { user_turns: 0 }])(
    'stores nothing of %o',
    (wrong) => expect(report(wrong)).toBeNull(),
  )
  it('truncates long values', () => {
    const kept = report({ messages: -5, files_edited: 1e12, tools: ['', 'é'.repeat(100), ...Array(100).fill('t')] })
    expect(kept).toMatchObject({ messages: 0, files_edited: 2 ** 31 - 1 })
    expect(kept?.tools).toHaveLength(64)
    expect(kept?.tools[0]).toBe('é'.repeat(64))
  })
})
