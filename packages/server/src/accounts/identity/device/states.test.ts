// Guarantees: the responses to devices, people and lookups depend on the stored state and the clock only. A client that
// polls too fast is slowed down by five seconds each time; a client that keeps the interval never is.
import { describe, expect, test } from 'vitest'
import { lookedUpStatus, paceOf, polledStatus, refuseAnswer, type StoredStatus } from './states.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const later = '2026-03-01T12:00:00.001Z'
const past = '2026-03-01T12:00:00.000000Z'

describe('a device authorization', () => {
  test.each<[StoredStatus, string, string, string, string | null]>([
    // stored, ends, polled, looked up, refusal of an answer
    ['pending', later, 'pending', 'pending', null],
    ['approved', later, 'approved', 'approved', 'already_processed'],
    ['denied', later, 'denied', 'expired', 'already_processed'],
    ['delivered', later, 'expired', 'expired', 'already_processed'],
    ['expired', later, 'expired', 'expired', 'expired'],
    ['pending', past, 'expired', 'expired', 'expired'],
    ['approved', past, 'expired', 'expired', 'expired'],
    ['denied', past, 'expired', 'expired', 'expired'],
    ['delivered', past, 'expired', 'expired', 'expired'],
  ])('%s until %s', (status, expires_at, polled, looked, refusal) => {
    const stored = { status, expires_at }
    expect(polledStatus(stored, now)).toBe(polled)
    expect(lookedUpStatus(stored, now)).toBe(looked)
    expect(refuseAnswer(stored, now)).toBe(refusal)
  })
})

describe('the pace of polls', () => {
  const polledAgo = (ms: number | null, interval_seconds: number) =>
    paceOf({ last_polled_at: ms === null ? null : new Date(now.getTime() - ms).toISOString(), interval_seconds }, now)
  test.each([
    ['the first poll', null, 3, { tooFast: false, intervalSeconds: 3 }],
    ['at once again', 0, 3, { tooFast: true, intervalSeconds: 8 }],
    ['after the interval', 3000, 3, { tooFast: false, intervalSeconds: 3 }],
    ['a little early, by jitter', 2500, 3, { tooFast: false, intervalSeconds: 3 }],
    ['clearly early', 2499, 3, { tooFast: true, intervalSeconds: 8 }],
    ['the old interval after a slow_down', 3000, 8, { tooFast: true, intervalSeconds: 13 }],
    ['the new interval after a slow_down', 8000, 8, { tooFast: false, intervalSeconds: 8 }],
    ['never beyond a minute', 0, 58, { tooFast: true, intervalSeconds: 60 }],
  ])('%s', (_claim, agoMs, interval, pace) => expect(polledAgo(agoMs, interval)).toEqual(pace))
})
