// Frame of the installation pages for staff. The server decides about staff rights; requests that need an authenticator
// are not sent without one.
import type { ReactNode } from 'react'
import { useSession } from '../shell/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { NavTabs } from '../ui/nav-tabs.tsx'
import { Empty, Page } from '../ui/page.tsx'

const pages = [
  { to: '/installation', label: 'Health', exact: true },
  { to: '/installation/workspaces', label: 'Workspaces' },
  { to: '/installation/organizations', label: 'Organizations' },
  { to: '/installation/plans', label: 'Plans' },
  { to: '/installation/aliases', label: 'Aliases' },
  { to: '/installation/addresses', label: 'Blocked addresses' },
] as const

type FrameProps = {
  title: string
  trail?: ReactNode
  actions?: ReactNode
  /** Rendered only when permitted, so that nothing is fetched otherwise. */
  children: () => ReactNode
}

export const StaffFrame = ({ title, trail = 'Installation', actions, children }: FrameProps) => {
  const { me, isStaff } = useSession()
  if (!isStaff)
    return (
      <Page title={title} trail={trail}>
        <Empty title="Only staff can see this page">The operator can grant access: millrace admin grant-platform</Empty>
      </Page>
    )
  const proved = me.user.totp_enabled
  return (
    <Page title={title} trail={trail} actions={proved ? actions : undefined}>
      <NavTabs label="Installation" tabs={pages} />
      {proved ? (
        children()
      ) : (
        <Empty
          title="This page needs an authenticator"
          action={
            <ButtonLink to="/settings/account" look="primary">
              Set up an authenticator
            </ButtonLink>
          }
        >
          Pages about all workspaces need a sign-in with a second factor.
        </Empty>
      )}
    </Page>
  )
}
