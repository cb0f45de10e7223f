// Computes when a schedule fires. Pure.
import { missedTick, nextAfter } from './cron.ts'

export type Scheduled = {
  readonly type: string
  readonly enabled: boolean
  readonly config: unknown
  readonly scheduledAt: Date | null
  /** The single fire of a scheduled trigger has happened. */
  readonly isDone: boolean
}

const cronOf = (config: unknown): { expression: string; zone: string } => {
  const { expression, timezone } = config as { expression: string; timezone?: string | null }
  return { expression, zone: timezone ?? 'UTC' }
}

/** The next fire of a trigger; null if it has none by schedule. */
export const nextFire = (trigger: Scheduled, now: Date): Date | null => {
  if (!trigger.enabled) return null
  if (trigger.type === 'scheduled') return trigger.isDone ? null : trigger.scheduledAt
  if (trigger.type !== 'cron') return null
  const { expression, zone } = cronOf(trigger.config)
  return nextAfter(expression, zone, now)
}

/** For a due cron trigger: the latest passed tick, which replaces all missed ones, and the next tick. */
export const passTicks = (config: unknown, due: Date, now: Date): { tick: Date; next: Date | null } => {
  const { expression, zone } = cronOf(config)
  const tick = missedTick(expression, zone, new Date(due.getTime() - 1), now) ?? due
  return { tick, next: nextAfter(expression, zone, now) }
}
