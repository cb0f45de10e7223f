// Date-times of a form: the wire has ISO 8601 with a zone, the input has local time. Pure except for the local zone.
const two = (number: number): string => String(number).padStart(2, '0')

/** The value of a `datetime-local` input; empty for text that is not a date-time. */
export const localTimeOf = (text: string): string => {
  const time = new Date(text)
  if (text === '' || Number.isNaN(time.getTime())) return ''
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** The date-time on the wire, in UTC; empty for an empty or incomplete input. */
export const dateTimeIn = (local: string): string => {
  const time = new Date(local)
  return local === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
