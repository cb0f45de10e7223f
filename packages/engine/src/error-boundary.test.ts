// Guarantees: an error in a handler closes only its own part, and an error that passes every boundary is logged and
// counted while the process continues.

import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { logError, surviveErrors, withBoundary } from './error-boundary.ts'
import type { Log } from './log.ts'

const recorder = () => {
  const entries: Record<string, unknown>[] = []
  const log: Log = (level, message, fields) => void entries.push({ level, message, ...fields, stack: undefined })
  return { entries, log }
}

test('errors that a handler throws or rejects with reach its boundary', async () => {
  const errors: unknown[] = []
  const boundary = (error: unknown) => void errors.push(error)
  withBoundary(boundary, () => {
    throw new Error('thrown')
  })()
  withBoundary(boundary, async (word: string) => {
    throw new Error(word)
  })('rejected')
  await new Promise(setImmediate)
  expect(errors).toEqual([new Error('thrown'), new Error('rejected')])
})

test('the boundary of a part logs its name', () => {
  const { entries, log } = recorder()
  logError(log, 'telemetry')(new Error('no'))
  expect(entries).toEqual([{ level: 'error', message: 'unexpected error', part: 'telemetry', error: 'no' }])
})

test('an error that passes every boundary is logged with a count', () => {
  const { entries, log } = recorder()
  const target = new EventEmitter()
  surviveErrors(log, target)
  target.emit('uncaughtException', new Error('one'))
  target.emit('unhandledRejection', 'two')
  expect(entries).toMatchObject([
    { part: 'uncaughtException', count: 1, error: 'one' },
    { part: 'unhandledRejection', count: 2, error: 'two' },
  ])
})
