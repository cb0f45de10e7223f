// When the clock fires a trigger. Pure: the present comes in.
import { missedTick, nextAfter } from './cron.ts'

export type Scheduled = {
  readonly type: string
  readonly enabled: boolean
  readonly config: unknown
  readonly scheduledAt: Date | null
  /** The one fire of a scheduled trigger has been. */
  readonly isDone: boolean
}

const cronOf = (config: unknown): { expression: string; zone: string } => {
  const { expression, timezone } = config as { expression: string; timezone?: string | null }
  return { expression, zone: timezone ?? 'UTC' }
}

/** The next fire of a trigger as it stands now, or null when the clock has nothing to do with it. */
export const nextFire = (trigger: Scheduled, now: Date): Date | null => {
  if (!trigger.enabled) return null
  if (trigger.type === 'scheduled') return trigger.isDone ? null : trigger.scheduledAt
  if (trigger.type !== 'cron') return null
  const { expression, zone } = cronOf(trigger.config)
  return nextAfter(expression, zone, now)
}

/** Of a cron trigger that was due: the latest tick that has passed, which stands for all that were missed, and the next. */
export const passTicks = (config: unknown, due: Date, now: Date): { tick: Date; next: Date | null } => {
  const { expression, zone } = cronOf(config)
  const tick = missedTick(expression, zone, new Date(due.getTime() - 1), now) ?? due
  return { tick, next: nextAfter(expression, zone, now) }
}
