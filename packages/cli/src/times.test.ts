// Guarantees: durations are read with their units, and ages and durations are shown in the largest unit that fits.
import { expect, test } from 'vitest'
import { ageOf, durationText, parseDuration, spanText } from './times.ts'

const now = new Date('2026-03-01T12:00:00Z')
const before = (ms: number) => new Date(now.getTime() - ms).toISOString()

test.each<[number, string]>([
  [0, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_600_000 * 23, '23h'],
  [86_400_000 * 40, '40d'],
  [86_400_000 * 800, '2y'],
  [-5_000, '0s'],
])('%i ms ago is %s', (ms, text) => expect(ageOf(before(ms), now)).toBe(text))

test.each<[number, string]>([
  [0, '0ms'],
  [999, '999ms'],
  [3_210, '3.2s'],
  [125_000, '2m05s'],
  [3_720_000, '1h02m'],
])('%i ms last %s', (ms, text) => expect(durationText(ms)).toBe(text))

test.each<[string, number | null]>([
  ['500ms', 500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['90d', 7_776_000_000],
  ['30', null],
  ['', null],
  ['1.5h', null],
  ['5 m', null],
  ['-5m', null],
])('reads %j as %s ms', (text, ms) => expect(parseDuration(text)).toBe(ms))

test('measures to now without an end, and nothing without a start', () => {
  expect(spanText(before(2_000), undefined, now)).toBe('2.0s')
  expect(spanText(before(2_000), before(1_500), now)).toBe('500ms')
  expect([ageOf(null, now), spanText(undefined, before(1), now)]).toEqual(['', ''])
})
