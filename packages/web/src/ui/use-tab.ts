// Which tab of a page is open, kept in the address: a link leads to it, and Back to the one before.
import { useNavigate, useSearch } from '@tanstack/react-router'

/** The tab that an address names, whatever its case; the first where it names none of them. Pure. */
export const tabIn = <T extends string>(tabs: readonly [T, ...T[]], named: string | undefined): T =>
  tabs.find((tab) => tab.toLowerCase() === named?.toLowerCase()) ?? tabs[0]

/** How the address names a tab; the first is the page itself. Pure. */
export const tabNamed = <T extends string>(tabs: readonly [T, ...T[]], tab: T): { tab?: string } =>
  tab === tabs[0] ? {} : { tab: tab.toLowerCase() }

export const useTab = <T extends string>(tabs: readonly [T, ...T[]]): [tab: T, choose: (tab: T) => void] => {
  const { tab } = useSearch({ strict: false })
  const navigate = useNavigate()
  const choose = (next: T) =>
    void navigate({
      to: '.',
      search: (held) => ({ ...held, tab: undefined, ...tabNamed(tabs, next) }),
      resetScroll: false,
    })
  return [tabIn(tabs, tab), choose]
}
