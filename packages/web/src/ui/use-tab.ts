// The open tab of a page, stored in the address, so that links and Back work.
import { useNavigate, useSearch } from '@tanstack/react-router'

/** The tab named by an address, ignoring case; the first for an unknown name. Pure. */
export const tabIn = <T extends string>(tabs: readonly [T, ...T[]], named: string | undefined): T =>
  tabs.find((tab) => tab.toLowerCase() === named?.toLowerCase()) ?? tabs[0]

/** The name of a tab in the address; the first tab has none. Pure. */
export const tabNamed = <T extends string>(tabs: readonly [T, ...T[]], tab: T): { tab?: string } =>
  tab === tabs[0] ? {} : { tab: tab.toLowerCase() }

export const useTab = <T extends string>(tabs: readonly [T, ...T[]]): [tab: T, choose: (tab: T) => void] => {
  const { tab } = useSearch({ strict: false })
  const navigate = useNavigate()
  const choose = (next: T) =>
    void navigate({
      to: '.',
      search: (previous) => ({ ...previous, tab: undefined, ...tabNamed(tabs, next) }),
      resetScroll: false,
    })
  return [tabIn(tabs, tab), choose]
}
