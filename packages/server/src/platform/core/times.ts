// Times on the wire. The database gives microseconds; a time that comes straight from the clock has to look the same.

/** RFC 3339 in UTC with microseconds. */
export const wireTime = (at: Date): string => at.toISOString().replace('Z', '000Z')

/** The same of a time inside JSON that the database made: there it carries its zone and no more digits than it needs. */
export const wireTimeOfJson = (text: string): string => {
  const [whole = '', fraction = ''] = text.replace(/(\+00:00|Z)$/, '').split('.')
  return `${whole}.${fraction.padEnd(6, '0')}Z`
}

/** Whether a calendar has this day. A date reads 30 February as 2 March without a word. */
export const isCalendarDay = (day: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false
  const read = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day)
}
