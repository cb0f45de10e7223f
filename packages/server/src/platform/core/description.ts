// Limits of descriptions. They are short because agents read whole catalogs of them. Counted in Unicode characters.
import { fail } from './errors.ts'

export const descriptionLimit = 200
export const skillDescriptionLimit = 1024

/**
 * Text that an update does not change is not checked again, so that rows with older, longer texts can still be edited.
 */
export const assertDescription = (text: string, stored?: string, limit: number = descriptionLimit): void => {
  if (text === stored) return
  const length = [...text].length
  if (length > limit) throw fail('validation_error', `description must be at most ${limit} characters, got ${length}`)
}
