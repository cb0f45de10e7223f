// Guarantees: polls run one at a time, also after a failed one, and stopping waits for the last.
import pino from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startWatch } from './watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const log = pino({ level: 'silent' })

it('polls again after the last poll ended, also after a failure', async () => {
  const looks: PromiseWithResolvers<void>[] = []
  const poll = () => {
    const next = Promise.withResolvers<void>()
    looks.push(next)
    return next.promise
  }
  const stop = startWatch({ log }, { everyMs: 1_000, poll, failed: 'it failed' })
  await vi.advanceTimersByTimeAsync(3_500)
  expect(looks).toHaveLength(1)
  looks[0]?.reject(new Error('away'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(looks).toHaveLength(2)
  let stopped = false
  const stopping = stop().then(() => {
    stopped = true
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect([looks.length, stopped]).toEqual([2, false])
  looks[1]?.resolve()
  await stopping
})
