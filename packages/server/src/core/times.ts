// Times on the wire. The database gives microseconds; a time that comes straight from the clock has to look the same.

/** RFC 3339 in UTC with microseconds. */
export const wireTime = (at: Date): string => at.toISOString().replace('Z', '000Z')
