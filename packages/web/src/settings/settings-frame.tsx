// The pages of the settings and the way between them.
import type { ReactNode } from 'react'
import { useSession } from '../shell/session.tsx'
import { NavTabs } from '../ui/nav-tabs.tsx'
import { Page } from '../ui/page.tsx'

const pages = [
  { to: '/settings/account', label: 'Account' },
  { to: '/settings/workspace', label: 'Workspace' },
  { to: '/settings/people', label: 'People' },
  { to: '/settings/keys', label: 'API keys' },
  { to: '/settings/services', label: 'Services' },
  { to: '/settings/webhooks', label: 'Webhooks' },
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
  return (
    <Page title={title} trail="Settings" actions={actions}>
      <NavTabs label="Settings" tabs={pages.filter((page) => isAdmin || !('admin' in page))} />
      {children}
    </Page>
  )
}
