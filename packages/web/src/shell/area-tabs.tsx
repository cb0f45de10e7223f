// The pages of an area as tabs, above each of these pages.
import { useRouterState } from '@tanstack/react-router'
import { NavTabs } from '../ui/nav-tabs.tsx'
import { entryAt } from './navigation.ts'

/** The address of the open page below the workspace, which is the base path of the router. */
export const usePagePath = (): string => useRouterState({ select: ({ location }) => location.pathname })

export const AreaTabs = () => {
  const path = usePagePath()
  const entry = entryAt(path)
  if (!entry || entry.tabs.length === 1 || !entry.tabs.some(({ to }) => to === path)) return null
  return (
    <div className="-mb-3 mx-auto w-full max-w-[1200px] px-4 pt-3 md:px-6">
      <NavTabs label={entry.label} tabs={entry.tabs} />
    </div>
  )
}
