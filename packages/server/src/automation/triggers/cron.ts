// Cron arithmetic: the instants of a five-field expression in a zone. Pure; time is an argument.
//
// croner parses an expression and matches minutes and dates. This file iterates over a wall clock without jumps and
// maps it to the zone's real one. Where the two differ, the rule (docs/cron.md) is that of Vixie cron:
//
//   · An expression without `*` in its minute and hour fields has fixed times. A skipped time fires at the first minute
//     after the gap (several skipped times fire once); a repeated time fires only the first time.
//   · An expression with `*` there is an interval: skipped minutes do not fire, repeated ones fire again.
//   · A jump of more than three hours is a move across the date line, not daylight saving: skipped times do not fire,
//     repeated ones fire again.
//
// croner's own search is not used. It treats lists and ranges (`0 2,14 * * *`) as intervals, which loses a twice-daily
// run in spring and doubles it in autumn. It also skips dates after a month without the wanted day: `0 0 1,31 * *`
// never fires on 1 March.
import { Cron } from 'croner'
import { LRUCache } from 'lru-cache'
import { firstChange, isZone, offsetAt } from './zone-offsets.ts'

const fieldNames = ['minute', 'hour', 'day-of-month', 'month', 'day-of-week'] as const
const fieldRanges = ['0-59', '0-23', '1-31', '1-12 or JAN-DEC', '0-7 or SUN-SAT'] as const

// croner parses numbers leniently (`5*` as 5), so the form of each item is checked here and its value by croner.
const number = '\\d{1,2}'
const plain = `(?:\\*|${number}-${number})(?:/${number})?|${number}`
const month = '(?:\\d{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)'
const weekday = '(?:[0-7]|sun|mon|tue|wed|thu|fri|sat)'
const itemForms = [
  plain,
  plain,
  `${plain}|L|LW|${number}W`,
  `(?:\\*|${month}-${month})(?:/${number})?|${month}`,
  `(?:\\*|${weekday}-${weekday})(?:/${number})?|${weekday}(?:#[1-5L]|L)?`,
].map((form) => new RegExp(`^(?:${form})$`, 'i'))

const nicknames = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

const maxExpressionLength = 200
const daylightSavingMaxMs = 3 * 3_600_000

const dayMs = 86_400_000
// 29 February on a given weekday may be forty years away.
const searchMaxDays = 41 * 366

type Schedule = {
  /** Ascending. */
  readonly minutesOfDay: readonly number[]
  /** True if the expression matches a day, counted from the epoch. */
  readonly matchesDay: (day: number) => boolean
  readonly namesClockTimes: boolean
}

export type CronCheck = { readonly ok: true } | { readonly ok: false; readonly detail: string }

// A clock without zone: wall-clock times are represented as UTC.
const open = (pattern: string): Cron => new Cron(pattern, { mode: '5-part', utcOffset: 0, paused: true })

const wellFormed = (fields: readonly string[], at: number): boolean => {
  const field = fields[at] ?? ''
  // `+` before the weekdays requires both day fields to match; without it, either is enough.
  const items = (at === 4 ? field.replace(/^\+/, '') : field).split(',')
  if (!items.every((item) => itemForms[at]?.test(item))) return false
  try {
    open(fieldNames.map((_, index) => (index === at ? field : '*')).join(' '))
    return true
  } catch {
    // croner reports invalid fields only by throwing; its message does not name the field as users know it.
    return false
  }
}

const split = (expression: string): readonly string[] => {
  const text = expression.trim()
  return (nicknames.get(text.toLowerCase()) ?? text).split(/\s+/)
}

const refuse = (detail: string): CronCheck => ({ ok: false, detail })

/** Validates an expression; the detail is addressed to its author. */
export const checkExpression = (expression: unknown): CronCheck => {
  if (typeof expression !== 'string' || expression.trim() === '') return refuse('the cron expression is missing')
  if (expression.length > maxExpressionLength) {
    return refuse(`the cron expression is longer than ${maxExpressionLength} characters`)
  }
  const fields = split(expression)
  if (fields[0]?.startsWith('@')) {
    return refuse(`"${fields[0]}" is not one of ${[...nicknames.keys()].join(', ')}`)
  }
  if (fields.length === 6 || fields.length === 7) {
    return refuse(`a cron expression has 5 fields (${fieldNames.join(', ')}); a seconds or year field is not supported`)
  }
  if (fields.length !== 5) {
    return refuse(`a cron expression has 5 fields (${fieldNames.join(', ')}); this one has ${fields.length}`)
  }
  const bad = fieldNames.findIndex((_, at) => !wellFormed(fields, at))
  if (bad >= 0) return refuse(`the ${fieldNames[bad]} field "${fields[bad]}" is not valid (${fieldRanges[bad]})`)
  if (nextWall(scheduleOf(expression), 0) === null) return refuse(`"${expression.trim()}" never matches a date`)
  return { ok: true }
}

export const checkZone = (zone: unknown): CronCheck =>
  typeof zone === 'string' && isZone(zone)
    ? { ok: true }
    : refuse(`"${String(zone).slice(0, 64)}" is not an IANA time zone such as Europe/Berlin`)

const maxCached = 2000
const schedules = new LRUCache<string, Schedule>({ max: maxCached })

const scheduleOf = (expression: string): Schedule => {
  const cached = schedules.get(expression)
  if (cached) return cached
  const schedule = openSchedule(split(expression))
  schedules.set(expression, schedule)
  return schedule
}

const openSchedule = ([minute, hour, monthDay, month, weekday]: readonly string[]): Schedule => {
  const times = open(`${minute} ${hour} * * *`)
  const dates = open(`0 0 ${monthDay} ${month} ${weekday}`)
  const days = new Map<number, boolean>()
  return {
    minutesOfDay: Array.from({ length: 1440 }, (_, at) => at).filter((at) => times.match(new Date(at * 60_000))),
    matchesDay: (day) => {
      const known = days.get(day)
      if (known !== undefined) return known
      if (days.size >= maxCached) days.clear()
      const matches = dates.match(new Date(day * dayMs))
      days.set(day, matches)
      return matches
    },
    namesClockTimes: !`${minute}${hour}`.includes('*'),
  }
}

/** The first matching wall-clock time strictly after another. */
const nextWall = (schedule: Schedule, wallMs: number, maxDays = searchMaxDays): number | null => {
  const today = Math.floor(wallMs / dayMs)
  if (schedule.matchesDay(today)) {
    const passed = Math.floor((wallMs - today * dayMs) / 60_000)
    const minute = schedule.minutesOfDay.find((at) => at > passed)
    if (minute !== undefined) return today * dayMs + minute * 60_000
  }
  const [first = 0] = schedule.minutesOfDay
  for (let day = today + 1; day <= today + maxDays; day++) {
    if (schedule.matchesDay(day)) return day * dayMs + first * 60_000
  }
  return null
}

/**
 * The first tick strictly after an instant; null if there is none. Both texts must be valid. Iterates over the periods
 * between the zone's clock changes, within which the offset to UTC is constant.
 */
export const nextAfter = (expression: string, zone: string, after: Date, maxDays?: number): Date | null => {
  const schedule = scheduleOf(expression)
  const { namesClockTimes } = schedule
  let fromMs = after.getTime()
  let offsetMs = offsetAt(zone, fromMs)
  // The wall-clock time after which to search.
  let wallMs = fromMs + offsetMs
  if (namesClockTimes) wallMs = Math.max(wallMs, repeatedUntil(zone, fromMs, offsetMs))
  for (;;) {
    const tickWallMs = nextWall(schedule, wallMs, maxDays)
    if (tickWallMs === null) return null
    const tickMs = tickWallMs - offsetMs
    const change = firstChange(zone, fromMs, tickMs)
    if (!change) return new Date(tickMs)

    // The clock changes at or before that tick: search again from the change, with the new offset.
    const oldWallMs = change.atMs + offsetMs
    const newWallMs = change.atMs + change.offsetMs
    wallMs = newWallMs - 1
    if (namesClockTimes && Math.abs(newWallMs - oldWallMs) <= daylightSavingMaxMs) {
      const wasSkipped = tickWallMs < newWallMs
      if (wasSkipped) return new Date(change.atMs)
      wallMs = Math.max(oldWallMs, newWallMs) - 1
    }
    fromMs = change.atMs
    offsetMs = change.offsetMs
  }
}

/** The last wall-clock millisecond of the repeated period that contains an instant. */
const repeatedUntil = (zone: string, instantMs: number, offsetMs: number): number => {
  const change = firstChange(zone, instantMs - daylightSavingMaxMs, instantMs)
  if (!change) return Number.NEGATIVE_INFINITY
  const oldOffsetMs = offsetAt(zone, change.atMs - 1)
  return oldOffsetMs - offsetMs > daylightSavingMaxMs ? Number.NEGATIVE_INFINITY : change.atMs + oldOffsetMs - 1
}

/**
 * The latest tick in (lastChecked, now], or null. All ticks that a stopped server missed fire as this one. Searches
 * backwards with doubling windows and then bisects, so that a long downtime costs no more than a short one.
 */
export const missedTick = (expression: string, zone: string, lastChecked: Date, now: Date): Date | null => {
  const firstIn = (fromMs: number): Date | null => {
    const tick = nextAfter(expression, zone, new Date(fromMs))
    return tick && tick <= now ? tick : null
  }
  const earliestMs = lastChecked.getTime()
  if (earliestMs >= now.getTime()) return null
  let emptyFromMs = now.getTime()
  let windowMs = 60_000
  let latest: Date | null = null
  while (!latest && emptyFromMs > earliestMs) {
    const fromMs = Math.max(now.getTime() - windowMs, earliestMs)
    latest = firstIn(fromMs)
    if (!latest) emptyFromMs = fromMs
    windowMs *= 2
  }
  while (latest && emptyFromMs - latest.getTime() > 60_000) {
    const middleMs = latest.getTime() + Math.floor((emptyFromMs - latest.getTime()) / 2)
    const later = firstIn(middleMs)
    if (later) latest = later
    else emptyFromMs = middleMs
  }
  return (latest && firstIn(latest.getTime())) ?? latest
}
