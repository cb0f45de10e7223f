// Times on the wire have microseconds, as PostgreSQL returns them. Times from the clock are formatted alike.

/** RFC 3339 in UTC with microseconds. */
export const wireTime = (at: Date): string => at.toISOString().replace('Z', '000Z')

/** Converts a time that PostgreSQL wrote into JSON, with an offset and without trailing zeros. */
export const wireTimeOfJson = (text: string): string => {
  const [whole = '', fraction = ''] = text.replace(/(\+00:00|Z)$/, '').split('.')
  return `${whole}.${fraction.padEnd(6, '0')}Z`
}

/** Whether the day exists. `Date` silently reads 30 February as 2 March. */
export const isCalendarDay = (day: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false
  const read = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day)
}
