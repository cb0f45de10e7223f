// Times, counts and sizes as text, in English whatever the locale of the browser. Pure.

/** The language of the page. */
export const locale = 'en-US'

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hour12: false })

/** Date and time to the second, in the time zone of the browser. */
export const dateTimeText = (time: string | number): string => dateTime.format(new Date(time))

/** Hours and minutes. */
export const clockText = (ms: number): string => clock.format(ms)

export const countText = (count: number): string => count.toLocaleString(locale)

const units: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

export const relativeText = (timeMs: number, nowMs: number): string => {
  const awayMs = Math.abs(nowMs - timeMs)
  if (awayMs < 1500) return 'now'
  if (awayMs > 30 * 86_400_000) return new Date(timeMs).toISOString().slice(0, 10)
  const [unit, ms] = units.find(([, unitMs]) => awayMs >= unitMs) ?? ['s', 1000]
  const text = `${Math.floor(awayMs / ms)} ${unit}`
  return timeMs > nowMs ? `in ${text}` : `${text} ago`
}

export const durationText = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`
}

const sizes = ['B', 'kB', 'MB', 'GB', 'TB']

export const sizeText = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), sizes.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${sizes[power]}`
}
