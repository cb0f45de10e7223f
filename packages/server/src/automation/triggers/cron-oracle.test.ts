// Guarantees: the cron arithmetic finds the right minutes in every zone on every day of a leap year, including clock
// changes. The oracle is brute force without croner: it reads the wall clock of each minute from Intl, represents an
// expression as a set of minutes of the day and a set of days, and applies the daylight-saving rule of docs/cron.md in
// one pass over the minutes.
import { describe, expect, it } from 'vitest'
import { nextAfter } from './cron.ts'

/**
 * An ordinary run checks each expression in every third zone, and each zone with about every third expression; `npm run
 * prove -- cron-oracle --size large` checks all.
 */
const everyNth = Number(process.env.CRON_ORACLE_EVERY ?? 3)

const dayMinutes = 1440
const days = 366
const startMs = Date.UTC(2028, 0, 1)
const totalMinutes = days * dayMinutes
const instantOf = (minute: number) => startMs + minute * 60_000

const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'America/Nuuk',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Jerusalem',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Australia/Adelaide',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Antarctica/Troll',
]

const expressions = [
  // Intervals: `*` in the minute or hour field.
  ...['* * * * *', '*/2 * * * *', '*/5 * * * *', '*/7 * * * *', '*/10 * * * *', '*/15 * * * *', '*/20 * * * *'],
  ...['*/30 * * * *', '*/45 * * * *', '0 * * * *', '1 * * * *', '30 * * * *', '59 * * * *', '0,30 * * * *'],
  ...['15,45 * * * *', '5-10 * * * *', '0-59/13 * * * *', '10-50/20 * * * *', '0 */2 * * *', '30 */2 * * *'],
  ...['0 */3 * * *', '15 */4 * * *', '0 */6 * * *', '45 */8 * * *', '0 */12 * * *', '*/30 2 * * *', '*/10 1 * * *'],
  ...['* 2 * * *', '* 0 * * *', '*/15 0-3 * * *', '*/20 23 * * *', '*/15 9-17 * * 1-5', '* * 29 2 *', '* * 1 1 *'],
  ...['*/5 1-3 * 3 *', '*/5 1-3 * 10,11 *', '30 * * * 0', '30 * * 3 SUN', '0 * L * *', '0 * * * 1#1'],
  // Fixed times: no `*` in these fields.
  ...['0 0 * * *', '1 0 * * *', '15 0 * * *', '30 0 * * *', '45 0 * * *', '59 0 * * *', '0 1 * * *', '15 1 * * *'],
  ...['30 1 * * *', '45 1 * * *', '59 1 * * *', '0 2 * * *', '1 2 * * *', '15 2 * * *', '30 2 * * *', '45 2 * * *'],
  ...['59 2 * * *', '0 3 * * *', '30 3 * * *', '45 3 * * *', '0 4 * * *', '0 5 * * *', '30 6 * * *', '0 9 * * *'],
  ...['0 12 * * *', '0 18 * * *', '0 22 * * *', '0 23 * * *', '15 23 * * *', '30 23 * * *', '59 23 * * *'],
  ...['0 0,12 * * *', '0 2,14 * * *', '30 1,2 * * *', '0,30 2 * * *', '0,30 1-3 * * *', '0,15,30,45 0 * * *'],
  ...['0 0-3 * * *', '30 0-23/6 * * *', '10-20/5 2 * * *', '0-59/20 1 * * *', '30 22-23 * * *', '5,55 2,3 * * *'],
  // Restrictions of the day.
  ...['0 9 * * 1-5', '30 2 * * 0', '30 1 * * SUN', '0 0 * * 7', '0 9 * * MON,WED,FRI', '30 2 * * 6-7', '0 0 * * 0-6/2'],
  ...['0 0 1 * *', '0 0 15 * *', '30 2 31 * *', '0 12 28-31 * *', '0 0 29 2 *', '0 6 1-7 * *', '30 1 */2 * *'],
  ...['0 0 */10 * *', '0 0 1 1 *', '0 0 1 */3 *', '30 2 * 3 *', '30 1 * 11 *', '15 2 * MAR,OCT *', '0 8 * JUN-AUG *'],
  ...[
    '0 0 13 * 5',
    '0 9 1 * 1',
    '30 2 8-14 3 0',
    '0 0 1,15 * MON',
    '0 12 1 * +MON',
    '0 0 13 * +FRI',
    '30 2 25-31 * +0',
  ],
  ...[
    '0 0 L * *',
    '30 2 L * *',
    '0 9 LW * *',
    '0 9 1W * *',
    '0 9 15W * *',
    '0 7 30W * *',
    '0 9 * * 1#1',
    '30 2 * * SUN#2',
  ],
  ...['30 2 * * 0#L', '30 1 * * 0#1', '0 0 * * FRI#L', '0 10 * * 2#3,4#3', '0 0 15,L * *', '0 0 * * 5L'],
]

// ---- the oracle's parser of expressions ----

const monthNames = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const weekdayNames = 'SUN MON TUE WED THU FRI SAT'.split(' ')

const numberOf = (text: string): number => {
  if (monthNames.includes(text)) return monthNames.indexOf(text) + 1
  return weekdayNames.includes(text) ? weekdayNames.indexOf(text) : Number(text)
}

const valuesOf = (item: string, from: number, to: number): number[] => {
  const [range = '', step = '1'] = item.split('/')
  const [low = '', high = low] = range === '*' ? [String(from), String(to)] : range.split('-')
  const values: number[] = []
  for (let value = numberOf(low); value <= numberOf(high); value += Number(step)) values.push(value)
  return values
}

const setOf = (field: string, from: number, to: number): Set<number> =>
  new Set(field.split(',').flatMap((item) => valuesOf(item, from, to)))

const monthLength = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate()

const matchesMonthDay = (item: string, date: Date): boolean => {
  const day = date.getUTCDate()
  const last = monthLength(date.getUTCFullYear(), date.getUTCMonth() + 1)
  if (item === 'L') return day === last
  if (!item.endsWith('W')) return valuesOf(item, 1, 31).includes(day)
  // The weekday nearest to the date, within the month; no day if the month does not have the date.
  const wanted = item === 'LW' ? last : Number(item.slice(0, -1))
  if (wanted > last) return false
  const distances = item === 'LW' ? [0, -1, -2] : [0, -1, 1, 2, -2]
  for (const distance of distances) {
    const candidate = wanted + distance
    const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), candidate)).getUTCDay()
    if (candidate >= 1 && candidate <= last && weekday !== 0 && weekday !== 6) return day === candidate
  }
  return false
}

const matchesWeekday = (item: string, date: Date): boolean => {
  const [days = '', nth] = item.endsWith('L') ? [item.replace(/#?L$/, ''), 'L'] : item.split('#')
  if (!valuesOf(days, 0, 6).some((day) => day % 7 === date.getUTCDay())) return false
  if (nth === undefined) return true
  const last = monthLength(date.getUTCFullYear(), date.getUTCMonth() + 1)
  return nth === 'L' ? date.getUTCDate() + 7 > last : Math.ceil(date.getUTCDate() / 7) === Number(nth)
}

const matchesDate = (fields: string[], date: Date): boolean => {
  const [, , dom = '', month = '', dow = ''] = fields
  if (!setOf(month, 1, 12).has(date.getUTCMonth() + 1)) return false
  const inMonth = dom.split(',').some((item) => matchesMonthDay(item, date))
  const inWeek = dow
    .replace('+', '')
    .split(',')
    .some((item) => matchesWeekday(item, date))
  // If both day fields are restricted, one match is enough, unless `+` requires both.
  return dom === '*' || dow === '*' || dow.startsWith('+') ? inMonth && inWeek : inMonth || inWeek
}

/** An expression as the set of its wall-clock minutes, counted from the midnight a day before the year. */
type Reading = { expression: string; followsClock: boolean; names: Uint8Array }

const readingOf = (expression: string): Reading => {
  const fields = expression.split(' ')
  const [minuteField = '', hourField = ''] = fields
  const [minutes, hours] = [setOf(minuteField, 0, 59), setOf(hourField, 0, 23)]
  const ofDay = Uint8Array.from({ length: dayMinutes }, (_, at) =>
    Number(minutes.has(at % 60) && hours.has(Math.floor(at / 60))),
  )
  const names = new Uint8Array((days + 2) * dayMinutes)
  for (let day = 0; day < days + 2; day++) {
    const date = new Date(startMs + (day - 1) * 86_400_000)
    if (matchesDate(fields, date)) names.set(ofDay, day * dayMinutes)
  }
  return { expression, followsClock: minuteField.includes('*') || hourField.includes('*'), names }
}

// ---- the wall clock, minute by minute ----

/** The wall clock at each minute of the year, in the units of a reading. */
const wallClockOf = (zone: string): Int32Array => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const read = (minute: number): number => {
    const [day = 0, month = 0, year = 0, hour, min] = (format.format(instantOf(minute)).match(/\d+/g) ?? []).map(Number)
    return (Date.UTC(year, month - 1, day, hour, min) - startMs) / 60_000 + dayMinutes
  }
  const wall = new Int32Array(totalMinutes)
  // If 15 minutes of real time are 15 minutes of wall-clock time, the ends are enough; otherwise each minute is read.
  let first = read(0)
  for (let quarter = 0; quarter < totalMinutes; quarter += 15) {
    const next = read(quarter + 15)
    for (let at = 0; at < 15; at++) wall[quarter + at] = next - first === 15 ? first + at : read(quarter + at)
    first = next
  }
  return wall
}

/** The ticks of an expression in the year, as minutes since its start. */
const ticksOf = ({ followsClock, names }: Reading, wall: Int32Array): number[] => {
  const ticks: number[] = []
  if (followsClock) {
    for (let at = 0; at < totalMinutes; at++) if (names[wall[at] ?? 0]) ticks.push(at)
    return ticks
  }
  // A fixed time fires when the wall clock first reaches or passes it.
  let reached = (wall[0] ?? 0) - 1
  for (let at = 0; at < totalMinutes; at++) {
    const now = wall[at] ?? 0
    if (now <= reached) continue
    if (names[now] || (now > reached + 1 && names.subarray(reached + 1, now).includes(1))) ticks.push(at)
    reached = now
  }
  return ticks
}

// ---- the comparison ----

/** Sparse schedules are compared tick by tick; dense ones once per day, and minute by minute around each change. */
const fullWalkMaxTicks = 9000

const questionsFor = (ticks: number[], wall: Int32Array, seed: number): number[] => {
  if (ticks.length <= fullWalkMaxTicks) return [-1, ...ticks]
  const questions: number[] = []
  for (let day = 0; day < days; day++) questions.push(day * dayMinutes + ((day * 7919 + seed * 104_729) % dayMinutes))
  for (let minute = 1; minute < totalMinutes; minute++) {
    if ((wall[minute] ?? 0) - (wall[minute - 1] ?? 0) === 1) continue
    for (let near = Math.max(minute - 95, 0); near < Math.min(minute + 95, totalMinutes); near++) questions.push(near)
  }
  return questions
}

const firstAfter = (ticks: number[], minute: number): number | undefined => {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle] ?? 0) > minute) high = middle
    else low = middle + 1
  }
  return ticks[low]
}

const iso = (ms: number) => new Date(ms).toISOString()

const disagreements = (reading: Reading, zone: string, wall: Int32Array, seed: number): string[] => {
  const { expression } = reading
  const ticks = ticksOf(reading, wall)
  const wrong: string[] = []
  for (const minute of questionsFor(ticks, wall, seed)) {
    const expected = firstAfter(ticks, minute)
    const answer = nextAfter(expression, zone, new Date(instantOf(minute)))?.getTime() ?? Number.POSITIVE_INFINITY
    const agrees = expected === undefined ? answer >= instantOf(totalMinutes) : answer === instantOf(expected)
    if (agrees) continue
    const wanted = expected === undefined ? 'none in that year' : iso(instantOf(expected))
    wrong.push(`${expression} in ${zone} after ${iso(instantOf(minute))}: ${iso(answer)}, oracle ${wanted}`)
  }
  return wrong
}

const readings = expressions.map(readingOf)

describe('cron against a brute-force oracle', () => {
  it('has at least 100 distinct expressions and 20 zones', () => {
    expect(new Set(expressions).size).toBe(expressions.length)
    expect(expressions.length).toBeGreaterThanOrEqual(100)
    expect(new Set(zones).size).toBeGreaterThanOrEqual(20)
  })

  it.each(zones.map((zone, at) => ({ zone, at })))('agrees on every day of 2028 in $zone', ({ zone, at }) => {
    const wall = wallClockOf(zone)
    const wrong = readings.flatMap((reading, seed) =>
      (seed + at) % everyNth === 0 ? disagreements(reading, zone, wall, seed) : [],
    )
    expect(wrong.slice(0, 10)).toEqual([])
  })
})
