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
export const nextTimes = (expression: string, timezone: string, count: number): Date[] => {
  try {
    return new Cron(expression, { timezone: timezone || 'UTC', paused: true }).nextRuns(count)
  } catch {
    return []
  }
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
