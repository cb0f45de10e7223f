// The visibility of a row: one label everywhere, and which values a person may choose. Pure.
import type { Visibility } from '@millrace/contract/common'

/** From the narrowest to the widest. */
export const visibilityLabels: Readonly<Record<Visibility, string>> = {
  private: 'Private',
  team: 'Workspace',
  org: 'Organization',
  unlisted: 'Anyone with the link',
  public: 'Public',
}

export const visibilityStrings = {
  label: 'Visibility',
  changed: (visibility: Visibility) => `Visibility changed to ${visibilityLabels[visibility]}`,
} as const

const order = Object.keys(visibilityLabels) as Visibility[]

/** For the filter of a list. */
export const labelsOf = <V extends Visibility>(choices: readonly V[]): Readonly<Record<V, string>> =>
  Object.fromEntries(choices.map((each) => [each, visibilityLabels[each]])) as Record<V, string>

/** The choices with the current value, which may be none of them, from the narrowest to the widest. */
export const choicesIn = (current: Visibility, choices: readonly Visibility[]): Visibility[] =>
  order.filter((each) => each === current || choices.includes(each))

export type Chooser = {
  /** Created the row, or is an admin of the workspace. */
  isOwnerOrAdmin: boolean
  /** Whether the workspace belongs to an organization. */
  inOrganization: boolean
}

/** Changes that only the owner or an admin can make: `open`: make it unlisted or public; `wider`: show it to more people. */
export type Rule = 'open' | 'wider'

const isOpen = (each: Visibility): boolean => each === 'unlisted' || each === 'public'

/** The values that the server would accept. The current value is always included. */
export const visibilityChoices = (
  current: Visibility,
  { isOwnerOrAdmin, inOrganization }: Chooser,
  rule: Rule,
): Visibility[] => {
  const isAllowedForAll = (each: Visibility): boolean =>
    rule === 'open' ? !isOpen(each) : order.indexOf(each) < order.indexOf(current)
  return order.filter(
    (each) => each === current || ((isOwnerOrAdmin || isAllowedForAll(each)) && (inOrganization || each !== 'org')),
  )
}
