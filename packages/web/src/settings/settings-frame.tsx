// The pages of the settings and the way between them.
import type { ReactNode } from 'react'
import { useSession } from '../shell/session.tsx'
import { NavTabs } from '../ui/nav-tabs.tsx'
import { Page } from '../ui/page.tsx'
import { settingsPagesFor } from './settings-pages.ts'

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
      <NavTabs label="Settings" tabs={settingsPagesFor(isAdmin)} />
      {children}
    </Page>
  )
}
