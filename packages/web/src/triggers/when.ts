// Schedules of triggers as words and as times.
import type { Trigger } from '@millrace/contract/triggers'
import { Cron } from 'croner'
import { toString as cronWords } from 'cronstrue'
import { dateTimeText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

export const cronText = (expression: string): string | null => {
  try {
    return cronWords(expression, { use24HourTimeFormat: true })
  } catch {
    return null
  }
}

/** The next times of a cron expression; empty when the expression is not valid. */
export const nextTimes = (expression: string, timezone: string, count: number, after = new Date()): Date[] => {
  try {
    return new Cron(expression, { timezone: timezone || 'UTC', paused: true }).nextRuns(count, after)
  } catch {
    return []
  }
}

export const scheduleOf = ({ config }: Trigger): { expression: string; timezone: string } => ({
  expression: String(config.expression ?? ''),
  timezone: typeof config.timezone === 'string' && config.timezone !== '' ? config.timezone : 'UTC',
})

/** The next time of a cron or scheduled trigger that is enabled. */
export const nextTimeOf = (trigger: Trigger, nowMs: number): string | null => {
  if (!trigger.enabled) return null
  if (trigger.type === 'scheduled')
    return trigger.scheduled_at && Date.parse(trigger.scheduled_at) > nowMs ? trigger.scheduled_at : null
  if (trigger.type !== 'cron') return null
  const { expression, timezone } = scheduleOf(trigger)
  return nextTimes(expression, timezone, 1, new Date(nowMs))[0]?.toISOString() ?? null
}

/** The value of an `<input type="datetime-local">`: local time without a zone. */
export const dateTimeInputText = (time: string | undefined): string => {
  if (!time) return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const whenText = ({ type, config, scheduled_at }: Trigger): string => {
  if (type === 'cron') {
    const expression = String(config.expression ?? '')
    const zone = typeof config.timezone === 'string' ? config.timezone : ''
    return `${cronText(expression) ?? expression}${zone ? ` (${zone})` : ''}`
  }
  if (type === 'scheduled') return scheduled_at ? dateTimeText(scheduled_at) : strings.when.once
  return type === 'webhook' ? strings.when.webhook : strings.when.manual
}
