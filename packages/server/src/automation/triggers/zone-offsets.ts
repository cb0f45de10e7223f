// Offsets of a zone's wall clock from UTC, and their changes. Read from the time zone data of Node and cached per zone
// and year, because a scheduler uses the same few repeatedly. Independent of schedules.
import { LRUCache } from 'lru-cache'

const dayMs = 86_400_000

type Change = { readonly atMs: number; readonly offsetMs: number }
/** `startOffsetMs` is valid from the first instant of the year (UTC) to the first change. */
type Year = { readonly startOffsetMs: number; readonly changes: readonly Change[] }
type Zone = { readonly format: Intl.DateTimeFormat; readonly years: Map<number, Year> }

// There are some 600 names, but any capitalization is accepted.
const zones = new LRUCache<string, Zone>({ max: 1000 })

const zoneOf = (name: string): Zone => {
  const cached = zones.get(name)
  if (cached) return cached
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const opened = { format, years: new Map() }
  zones.set(name, opened)
  return opened
}

/** True for an IANA name in this server's time zone data. Fixed offsets (`+02:00`) are not names. */
export const isZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    zoneOf(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

const readOffset = (zone: Zone, instantMs: number): number => {
  const parts = (zone.format.format(instantMs).match(/\d+/g) ?? []).map(Number)
  const [month = 0, day, year = 0, hour, minute, second] = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000
}

// Daily probes find every change: no zone changes its offset twice within a day.
const readYear = (zone: Zone, year: number): Year => {
  const changes: Change[] = []
  const endMs = Date.UTC(year + 1, 0, 1)
  let fromMs = Date.UTC(year, 0, 1)
  const startOffsetMs = readOffset(zone, fromMs)
  let offsetMs = startOffsetMs
  while (fromMs < endMs) {
    const toMs = Math.min(fromMs + dayMs, endMs)
    const nextOffsetMs = readOffset(zone, toMs)
    if (nextOffsetMs !== offsetMs) {
      const atMs = findChange(zone, fromMs, toMs, offsetMs)
      // The first instant of the next year belongs to the next year.
      if (atMs < endMs) changes.push({ atMs, offsetMs: nextOffsetMs })
      offsetMs = nextOffsetMs
    }
    fromMs = toMs
  }
  return { startOffsetMs, changes }
}

const findChange = (zone: Zone, fromMs: number, toMs: number, offsetMs: number): number => {
  let low = fromMs
  let high = toMs
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000
    if (readOffset(zone, middle) === offsetMs) low = middle
    else high = middle
  }
  return high
}

const yearOf = (zone: Zone, year: number): Year => {
  const cached = zone.years.get(year)
  if (cached) return cached
  const read = readYear(zone, year)
  zone.years.set(year, read)
  return read
}

const utcYear = (instantMs: number): number => new Date(instantMs).getUTCFullYear()

/** Wall clock minus UTC, in milliseconds. */
export const offsetAt = (zoneName: string, instantMs: number): number => {
  const { startOffsetMs, changes } = yearOf(zoneOf(zoneName), utcYear(instantMs))
  return changes.findLast((change) => change.atMs <= instantMs)?.offsetMs ?? startOffsetMs
}

/** The first change in (afterMs, untilMs]: the instant from which the new offset is valid. */
export const firstChange = (zoneName: string, afterMs: number, untilMs: number): Change | null => {
  const zone = zoneOf(zoneName)
  let offsetMs = offsetAt(zoneName, afterMs)
  for (let year = utcYear(afterMs); year <= utcYear(untilMs); year++) {
    const { startOffsetMs, changes } = yearOf(zone, year)
    const atMs = Date.UTC(year, 0, 1)
    // A change exactly at the turn of the year shows as a different offset at the start of the year.
    const turn = atMs > afterMs && startOffsetMs !== offsetMs ? { atMs, offsetMs: startOffsetMs } : undefined
    const change = turn ?? changes.find((change) => change.atMs > afterMs)
    if (change) return change.atMs <= untilMs ? change : null
    offsetMs = changes.at(-1)?.offsetMs ?? startOffsetMs
  }
  return null
}
