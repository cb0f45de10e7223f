// Guards: the figures of home say what the runs say.
import { taskStatus } from '@millrace/contract/task-status'
import { expect, it } from 'vitest'
import { bucketsOf, spreadOf } from './summary.ts'

const startMs = Date.parse('2026-05-01T10:00:00Z')
const run = (tookMs: number, status: number = taskStatus.completed, afterMs = 0) => ({
  status,
  created_at: new Date(startMs + afterMs).toISOString(),
  updated_at: new Date(startMs + afterMs + tookMs).toISOString(),
})

it('takes the median and the slow end of what was finished', () =>
  expect(spreadOf([run(30), run(10), run(20), run(9_000, taskStatus.failed), run(5_000, taskStatus.running)])).toEqual({
    p50: 20,
    p95: 30,
  }))

it('has no durations before something was finished', () =>
  expect(spreadOf([run(10, taskStatus.failed)])).toEqual({ p50: null, p95: null }))

it('puts runs into their stretch of time by outcome', () => {
  const hourMs = 3_600_000
  const runs = [
    run(1),
    run(1, taskStatus.failed),
    run(1, taskStatus.cancelled, hourMs),
    run(1, taskStatus.completed, -9 * hourMs),
  ]
  const counts = bucketsOf(runs, startMs + hourMs + 1, 3, hourMs).map(({ fromMs: _, ...rest }) => rest)
  expect(counts).toEqual([
    { completed: 0, failed: 0, other: 0 },
    { completed: 1, failed: 1, other: 0 },
    { completed: 0, failed: 0, other: 1 },
  ])
})
