// Descriptions are short because agents read whole catalogues of them. Counted in Unicode characters, not code units.
import { fail } from './errors.ts'

export const descriptionLimit = 200
export const skillDescriptionLimit = 1024

/** Text that an update leaves as it is stored is not checked again: older, longer texts stay editable around. */
export const assertDescription = (text: string, stored?: string, limit: number = descriptionLimit): void => {
  if (text === stored) return
  const length = [...text].length
  if (length > limit) throw fail('validation_error', `description must be at most ${limit} characters, got ${length}`)
}
