// Guarantees: the figures of the home page match the counted runs.
import type { TaskCounts } from '@millrace/contract/tasks'
import { expect, it } from 'vitest'
import { barsOf, busyCounts, isTruncated, lastDay, totalsOf } from './summary.ts'

const since = '2026-05-01T10:00:00.000000Z'
const bucket = (from: string, completed: number, failed: number, cancelled: number, active: number) => ({
  from,
  completed,
  failed,
  cancelled,
  active,
})
const counts: TaskCounts = {
  since,
  step: 1800,
  counted_since: since,
  p50_ms: 20,
  p95_ms: 30,
  buckets: [bucket(since, 3, 1, 0, 0), bucket('2026-05-01T10:30:00.000000Z', 0, 0, 2, 5)],
}

it('queries a day that ends with the current half hour', () => {
  const expected = { since: '2026-04-30T10:30:00.000Z', step: 1800 }
  expect(lastDay(Date.parse('2026-05-01T10:00:00Z'))).toEqual(expected)
  expect(lastDay(Date.parse('2026-05-01T10:29:59Z'))).toEqual(expected)
})

it('returns one bar per half hour of the day', () => {
  const [first, second, third, ...others] = barsOf(counts)
  expect(first).toEqual({ fromMs: Date.parse(since), completed: 3, failed: 1, other: 0 })
  expect(second).toMatchObject({ completed: 0, failed: 0, other: 7 })
  expect(third).toMatchObject({ fromMs: Date.parse('2026-05-01T11:00:00Z'), completed: 0, failed: 0, other: 0 })
  expect(others).toHaveLength(45)
})

it('sums the totals', () => expect(totalsOf(counts)).toEqual({ all: 11, completed: 3, failed: 1 }))

it.each([
  ['all runs are counted', since, false],
  ['the oldest runs were left out', '2026-05-01T10:12:00.000000Z', true],
])('detects that %s', (_claim, counted_since, truncated) =>
  expect(isTruncated({ ...counts, counted_since })).toBe(truncated),
)

it('counts busy engines and workers among the running engines', () => {
  const worker = (status: string) => ({ status })
  const engines = [
    { status: 'running', workers: [worker('busy'), worker('idle')] },
    { status: 'running', workers: [worker('idle')] },
    { status: 'stopped', workers: [worker('busy')] },
  ]
  expect(busyCounts(engines)).toEqual({ engines: [1, 2], workers: [1, 3] })
  expect(busyCounts([])).toEqual({ engines: [0, 0], workers: [0, 0] })
})
