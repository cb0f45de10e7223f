// The frame of the settings pages, with tabs.
import type { ReactNode } from 'react'
import { useSession } from '../shell/session.tsx'
import { NavTabs } from '../ui/nav-tabs.tsx'
import { Page } from '../ui/page.tsx'
import { settingsPagesFor } from './settings-pages.ts'
import { strings } from './strings.ts'

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
    <Page title={title} trail={strings.title} actions={actions}>
      <NavTabs label={strings.title} tabs={settingsPagesFor(isAdmin)} />
      {children}
    </Page>
  )
}
