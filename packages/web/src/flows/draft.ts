// The rule by which a stored value and an edited one are brought together. Pure.
export type Draft<T> = { stored: T; draft: T }

export const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A newly stored value replaces the draft unless the draft has unsaved changes. */
export const rebased = <T>(previous: Draft<T>, stored: T): Draft<T> => {
  if (isSameValue(previous.stored, stored)) return previous
  return { stored, draft: isSameValue(previous.draft, previous.stored) ? stored : previous.draft }
}
