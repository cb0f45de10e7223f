// Durations that people type, and times for tables. Pure.

const units: readonly (readonly [letter: string, ms: number])[] = [
  ['y', 365 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
]

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30s`, `5m`, `1h30m`, `90d` in milliseconds; null for anything else. */
export const parseDuration = (text: string): number | null => {
  if (!/^(?:\d{1,9}(?:ms|s|m|h|d))+$/.test(text)) return null
  return [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (durationUnits[unit] ?? 0),
    0,
  )
}

/** `2d`, `3h`, `5m`, `12s`: the largest unit that fits once. */
export const ageOf = (since: string | null | undefined, now: Date): string => {
  if (!since) return ''
  const ms = Math.max(0, now.getTime() - Date.parse(since))
  const [letter, size] = units.find(([, unitMs]) => ms >= unitMs) ?? ['s', 1_000]
  return `${Math.floor(ms / size)}${letter}`
}

/** `420ms`, `3.2s`, `2m05s`, `1h02m`. */
export const durationText = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)}ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`
  const seconds = Math.floor(ms / 1_000)
  const two = (part: number) => `${part}`.padStart(2, '0')
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`
  return `${Math.floor(seconds / 3_600)}h${two(Math.floor(seconds / 60) % 60)}m`
}

/** The time from `from` to `to`, or to now without `to`. Empty without `from`. */
export const spanText = (from: string | null | undefined, to: string | null | undefined, now: Date): string =>
  from ? durationText(Math.max(0, (to ? Date.parse(to) : now.getTime()) - Date.parse(from))) : ''
