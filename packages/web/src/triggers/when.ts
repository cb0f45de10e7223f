// When a trigger fires, in words and as times.
import type { Trigger } from '@millrace/contract/triggers'
import { Cron } from 'croner'
import { toString as cronWords } from 'cronstrue'

export const cronText = (expression: string): string | null => {
  try {
    return cronWords(expression, { use24HourTimeFormat: true })
  } catch {
    return null
  }
}

/** The next times of an expression in a zone; none when it cannot be read. */
export const nextTimes = (expression: string, timezone: string, count: number, after = new Date()): Date[] => {
  try {
    return new Cron(expression, { timezone: timezone || 'UTC', paused: true }).nextRuns(count, after)
  } catch {
    return []
  }
}

/** The clock of a trigger that has one. */
export const clockOf = ({ config }: Trigger): { expression: string; timezone: string } => ({
  expression: String(config.expression ?? ''),
  timezone: typeof config.timezone === 'string' && config.timezone !== '' ? config.timezone : 'UTC',
})

/** When it fires next, where a clock or a moment says so. */
export const nextTimeOf = (trigger: Trigger, nowMs: number): string | null => {
  if (!trigger.enabled) return null
  if (trigger.type === 'scheduled')
    return trigger.scheduled_at && Date.parse(trigger.scheduled_at) > nowMs ? trigger.scheduled_at : null
  if (trigger.type !== 'cron') return null
  const { expression, timezone } = clockOf(trigger)
  return nextTimes(expression, timezone, 1, new Date(nowMs))[0]?.toISOString() ?? null
}

/** A moment as the browser's own field for one wants it: in the zone of whoever looks, without its name. */
export const momentText = (time: string | undefined): string => {
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
  if (type === 'scheduled') return scheduled_at ? new Date(scheduled_at).toLocaleString() : 'once'
  return type === 'webhook' ? 'when something is sent to it' : 'by hand'
}
