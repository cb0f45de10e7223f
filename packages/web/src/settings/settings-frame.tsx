// The pages of the settings and the way between them.
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSession } from '../shell/session.tsx'
import { Page } from '../ui/page.tsx'

const pages = [
  { to: '/settings/account', label: 'Account' },
  { to: '/settings/workspace', label: 'Workspace' },
  { to: '/settings/people', label: 'People' },
  { to: '/settings/keys', label: 'API keys' },
  { to: '/settings/usage', label: 'Usage' },
  { to: '/settings/money', label: 'Money' },
  { to: '/settings/audit', label: 'Audit log', admin: true },
] as const

export const SettingsFrame = ({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) => {
  const { isAdmin } = useSession()
  const nav = useRef<HTMLElement>(null)
  // On a narrow screen the tabs are wider than it; the one that is open is in view.
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <Page title={title} trail="Settings" actions={actions}>
      <nav ref={nav} aria-label="Settings" className="mb-4 flex gap-1 overflow-x-auto border-b">
        {pages
          .filter((page) => isAdmin || !('admin' in page))
          .map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              className="-mb-px whitespace-nowrap border-transparent border-b-2 px-3 py-1.5 text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          ))}
      </nav>
      {children}
    </Page>
  )
}
