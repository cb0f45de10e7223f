// Guarantees: the shown times are the scheduler's own, also across clock changes, and looking for rare dates ends.
import { expect, it } from 'vitest'
import { nextFires, scheduleText } from './schedule.ts'

const firesOf = (expression: string, timezone: string, now: string): string[] =>
  nextFires({ enabled: true, config: { expression, timezone } }, new Date(now)).map((at) => at.toISOString())

it('a skipped time fires after the gap', () =>
  expect(firesOf('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z')).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
    '2026-03-31T00:30:00.000Z',
    '2026-04-01T00:30:00.000Z',
  ]))

it('remembered times end with the first of them', () => {
  const [first = '', second] = firesOf('0 * * * *', 'UTC', '2026-05-04T12:10:00Z')
  expect(first).toBe('2026-05-04T13:00:00.000Z')
  expect(firesOf('0 * * * *', 'UTC', '2026-05-04T12:50:00Z')[0]).toBe(first)
  expect(firesOf('0 * * * *', 'UTC', first)[0]).toBe(second)
  expect(firesOf('0 * * * *', 'UTC', '2026-05-04T11:59:00Z')[0]).toBe('2026-05-04T12:00:00.000Z')
})

it('times more than five years away are left out', () => {
  expect(firesOf('0 0 29 2 *', 'UTC', '2026-05-04T00:00:00Z')).toEqual(['2028-02-29T00:00:00.000Z'])
  expect(firesOf('0 0 29 2 +3', 'UTC', '2026-05-04T00:00:00Z')).toEqual([])
})

it.each([
  ['*/15 9-17 * * 1-5', 'Every 15 minutes, between 09:00 and 17:59, Monday through Friday (UTC)'],
  ['@daily', 'At 00:00 (UTC)'],
  ['0 9 LW * *', 'At 09:00, on the last weekday of the month (UTC)'],
])('%s in English', (expression, text) => expect(scheduleText({ expression })).toBe(text))
