// Related pages as tabs that are links.
import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

export type NavTab = {
  to: NonNullable<LinkProps['to']>
  label: string
  /** For tabs that differ only in the query of the address. */
  search?: LinkProps['search']
  /** Whether the tab is open; by default the router compares the address. */
  current?: boolean
  /** Active only at this exact address and not below it. */
  exact?: boolean
}

export const NavTabs = ({ label, tabs }: { label: string; tabs: readonly NavTab[] }) => {
  const nav = useRef<HTMLElement>(null)
  // Scrolls the open tab into view on a narrow screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <nav ref={nav} aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b">
      {tabs.map(({ to, label, search, current, exact = false }) => (
        <Link
          key={label}
          to={to}
          search={search ?? {}}
          activeOptions={{ exact }}
          {...(current === undefined
            ? {}
            : { activeProps: { 'aria-current': undefined }, 'aria-current': current ? ('page' as const) : undefined })}
          className="-mb-px whitespace-nowrap border-transparent border-b-2 px-3 py-1.5 text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
