// Guards: ages and durations are told in the unit a person would choose.
import { expect, test } from 'vitest'
import { ageOf, durationText, spanText } from './times.ts'

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

test('what goes on lasts until now, and what has not begun lasts nothing', () => {
  expect(spanText(before(2_000), undefined, now)).toBe('2.0s')
  expect(spanText(before(2_000), before(1_500), now)).toBe('500ms')
  expect([ageOf(null, now), spanText(undefined, before(1), now)]).toEqual(['', ''])
})
