// The frame around every page: side bar, palette, shortcuts, notices and the live stream.
import { Outlet } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { LazyNotices } from '../ui/lazy-notices.tsx'
import { SkeletonRows } from '../ui/page.tsx'
import { AreaTabs } from './area-tabs.tsx'
import { Offline } from './offline.tsx'
import { useSession } from './session.tsx'
import { useShortcuts } from './shortcuts.ts'
import { SideBar } from './side-bar.tsx'
import { strings } from './strings.ts'
import { useWorkspaceUpdates } from './workspace-updates.ts'

const Palette = lazy(() => import('./palette.tsx'))
const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'))

/** Follows the stream of the workspace, and shows when the page may be out of date. Overlaid, so that nothing moves. */
const LiveUpdates = () => {
  const state = useWorkspaceUpdates(useSession().team.id)
  return (
    <div role="status" className="pointer-events-none fixed right-3 bottom-3 z-30">
      {state === 'live' ? null : (
        <p className="rounded-full border bg-raised px-3 py-1 text-[12px] text-soft shadow-sm">
          {strings.stream[state]}
        </p>
      )}
    </div>
  )
}

export const Frame = () => {
  const { team } = useSession()
  const [navOpen, setNavOpen] = useState(false)
  const [palette, setPalette] = useState<'never' | 'open' | 'closed'>('never')
  const [help, setHelp] = useState<'never' | 'open' | 'closed'>('never')
  const openPalette = useCallback(() => setPalette('open'), [])
  const openHelp = useCallback(() => setHelp('open'), [])
  useShortcuts({ onPalette: openPalette, onHelp: openHelp })
  return (
    <div className="flex h-dvh overflow-hidden">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        {strings.skipToContent}
      </a>
      <SideBar
        open={navOpen}
        onClose={() => setNavOpen(false)}
        onSearch={() => {
          setNavOpen(false)
          openPalette()
        }}
        onShortcuts={() => {
          setNavOpen(false)
          openHelp()
        }}
      />
      <div className="flex min-w-0 grow flex-col">
        <header className="flex h-11 shrink-0 items-center gap-2 border-b bg-surface px-2 md:hidden">
          <button
            type="button"
            aria-label={strings.openNavigation}
            className="rounded p-2 hover:bg-hover"
            onClick={() => setNavOpen(true)}
          >
            <MenuIcon className="size-4" aria-hidden />
          </button>
          <span className="truncate font-medium">{team.name}</span>
        </header>
        <Offline />
        <main
          id="main"
          data-scroll-restoration-id="main"
          tabIndex={-1}
          className="relative flex min-h-0 grow flex-col overflow-y-auto outline-none"
        >
          <AreaTabs />
          <Suspense fallback={<SkeletonRows />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <LiveUpdates />
      {palette === 'never' ? null : (
        <Suspense fallback={null}>
          <Palette open={palette === 'open'} onClose={() => setPalette('closed')} />
        </Suspense>
      )}
      {help === 'never' ? null : (
        <Suspense fallback={null}>
          <ShortcutsDialog open={help === 'open'} onClose={() => setHelp('closed')} />
        </Suspense>
      )}
      <LazyNotices />
    </div>
  )
}
