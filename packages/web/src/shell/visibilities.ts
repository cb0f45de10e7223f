// Which of the five visibilities a person may choose for a row, as the server would let them. Pure.
import type { Visibility } from '@millrace/contract/common'

/** From the narrowest to the widest. */
export const visibilityWords: Readonly<Record<Visibility, string>> = {
  private: 'whoever made it',
  team: 'the workspace',
  org: 'the organization',
  unlisted: 'everyone with the link',
  public: 'everyone',
}

const order = Object.keys(visibilityWords) as Visibility[]

export type Chooser = {
  /** Made the row, or administers the workspace. */
  decides: boolean
  /** Whether the workspace belongs to an organization. */
  inOrganization: boolean
}

/** `open`: only showing it to everyone is for who decides. `wider`: so is every step to more people than before. */
export type Rule = 'open' | 'wider'

const isOpen = (each: Visibility): boolean => each === 'unlisted' || each === 'public'

/** What it is now is always among them. */
export const visibilitiesFor = (held: Visibility, { decides, inOrganization }: Chooser, rule: Rule): Visibility[] => {
  const isForAll = (each: Visibility): boolean =>
    rule === 'open' ? !isOpen(each) : order.indexOf(each) < order.indexOf(held)
  return order.filter((each) => each === held || ((decides || isForAll(each)) && (inOrganization || each !== 'org')))
}
