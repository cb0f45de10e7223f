// Computes when a schedule fires. Pure.
import { toString as describe } from 'cronstrue'
import { LRUCache } from 'lru-cache'
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
export const catchUpTicks = (config: unknown, due: Date, now: Date): { tick: Date; next: Date | null } => {
  const { expression, zone } = cronOf(config)
  const tick = missedTick(expression, zone, new Date(due.getTime() - 1), now) ?? due
  return { tick, next: nextAfter(expression, zone, now) }
}

const shownFires = 5
/** Searching for rare dates is expensive, so later ones are left out. */
const shownDays = 5 * 366

const dayMs = 86_400_000

type Upcoming = { readonly sinceMs: number; readonly untilMs: number; readonly fires: readonly Date[] }

const upcoming = new LRUCache<string, Upcoming>({ max: 5_000 })

/** The next fires of a cron trigger. Remembered until the first of them, because lists show many triggers. */
export const nextFires = (trigger: Pick<Scheduled, 'enabled' | 'config'>, now: Date): readonly Date[] => {
  if (!trigger.enabled) return []
  const { expression, zone } = cronOf(trigger.config)
  const key = `${zone} ${expression}`
  const known = upcoming.get(key)
  const nowMs = now.getTime()
  if (known && known.sinceMs <= nowMs && nowMs < known.untilMs) return known.fires
  const fires: Date[] = []
  for (let after: Date | null = now; after && fires.length < shownFires; ) {
    after = nextAfter(expression, zone, after, shownDays - Math.ceil((after.getTime() - nowMs) / dayMs))
    if (after) fires.push(after)
  }
  upcoming.set(key, { sinceMs: nowMs, untilMs: fires[0]?.getTime() ?? nowMs + dayMs, fires })
  return fires
}

/** A cron trigger's schedule in English. */
export const scheduleText = (config: unknown): string => {
  const { expression, zone } = cronOf(config)
  try {
    return `${describe(expression, { use24HourTimeFormat: true })} (${zone})`
  } catch {
    // The library does not know every form that the scheduler accepts.
    return `${expression} (${zone})`
  }
}
