// Guarantees: one Ctrl-C that arrives twice counts once; a later one, or another signal, is a request of its own.
import { expect, test } from 'vitest'
import { createStopRequests, repetitionMs } from './stop-signals.mjs'

test('a repetition within the window is the same request, a later signal is a new one', () => {
  let nowMs = 0
  const isNew = createStopRequests(() => nowMs)
  expect(isNew('SIGINT')).toBe(true)
  nowMs = repetitionMs - 1
  expect(isNew('SIGINT')).toBe(false)
  nowMs = repetitionMs
  expect(isNew('SIGINT')).toBe(true)
  nowMs = 2 * repetitionMs - 1
  expect(isNew('SIGINT')).toBe(false)
})

test('another signal is a new request at once', () => {
  const isNew = createStopRequests(() => 0)
  expect([isNew('SIGTERM'), isNew('SIGINT'), isNew('SIGTERM')]).toEqual([true, true, false])
})
