// Guarantees: a node is attempted as often as its policy says, with delays that grow by the factor up to the maximum.
import { expect, test } from 'vitest'
import { afterFailure, deadlineMs, readRetry, retryDelayMs } from './retry.ts'

const none = { attempts: 1, backoffMs: 0, factor: 1, maxMs: 0 }

test.each([
  [undefined, none],
  [null, none],
  ['twice', none],
  [{ attempts: 3 }, { attempts: 3, backoffMs: 1_000, factor: 2, maxMs: 3_600_000 }],
  [
    { attempts: 3, backoff_ms: 0, factor: 1, max_ms: 50 },
    { attempts: 3, backoffMs: 0, factor: 1, maxMs: 50 },
  ],
  [
    { attempts: -1, backoff_ms: 'x', factor: 0 },
    { attempts: 1, backoffMs: 1_000, factor: 1, maxMs: 3_600_000 },
  ],
])('%j is read as %j', (retry, plan) => expect(readRetry(retry)).toEqual(plan))

test.each([
  [1, 100],
  [2, 300],
  [3, 900],
  [4, 1_000],
  [500, 1_000],
])('after attempt %i the delay is %i ms', (attempt, delay) => {
  expect(retryDelayMs({ attempts: 9, backoffMs: 100, factor: 3, maxMs: 1_000 }, attempt)).toBe(delay)
})

test('no retry after the last attempt', () => {
  const plan = readRetry({ attempts: 2, backoff_ms: 10 })
  expect(afterFailure(plan, 1, 'task_failed', 5_000)).toEqual({ retryAtMs: 5_010 })
  expect(afterFailure(plan, 2, 'task_failed', 5_000)).toBe('give up')
  expect(afterFailure(readRetry(undefined), 1, 'task_failed', 0)).toBe('give up')
})

test('only the named failures are retried', () => {
  const plan = readRetry({ attempts: 3, backoff_ms: 10, codes: ['timed_out'] })
  expect(afterFailure(plan, 1, 'timed_out', 0)).toEqual({ retryAtMs: 10 })
  expect(afterFailure(plan, 1, 'task_failed', 0)).toBe('give up')
})

test('only a timeout creates a deadline', () => {
  expect([deadlineMs(undefined, 5), deadlineMs(10, 5)]).toEqual([undefined, 15])
})
