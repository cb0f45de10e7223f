// Guarantees: the next time and the description of a schedule.
import type { Trigger } from '@millrace/contract/triggers'
import { expect, it } from 'vitest'
import { nextTimeOf, whenText } from './when.ts'

const trigger = (part: Partial<Trigger>): Trigger => ({ enabled: true, config: {}, ...part }) as Trigger
const nowMs = Date.parse('2026-05-04T12:00:00Z')

it('returns the next time of a cron expression in its time zone', () => {
  const config = { expression: '0 9 * * *', timezone: 'Europe/London' }
  expect(nextTimeOf(trigger({ type: 'cron', config }), nowMs)).toBe('2026-05-05T08:00:00.000Z')
  expect(nextTimeOf(trigger({ type: 'cron', config, enabled: false }), nowMs)).toBeNull()
  expect(nextTimeOf(trigger({ type: 'cron', config: { expression: 'soon' } }), nowMs)).toBeNull()
})

it('returns the time of a scheduled trigger only while it is in the future', () => {
  const later = '2026-05-04T13:00:00.000000Z'
  expect(nextTimeOf(trigger({ type: 'scheduled', scheduled_at: later }), nowMs)).toBe(later)
  expect(nextTimeOf(trigger({ type: 'scheduled', scheduled_at: later }), nowMs + 7_200_000)).toBeNull()
  expect(nextTimeOf(trigger({ type: 'webhook' }), nowMs)).toBeNull()
})

it('describes a cron expression in words', () =>
  expect(whenText(trigger({ type: 'cron', config: { expression: '0 9 * * 1-5', timezone: 'UTC' } }))).toBe(
    'At 09:00, Monday through Friday (UTC)',
  ))
