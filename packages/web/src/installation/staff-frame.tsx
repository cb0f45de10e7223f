// The pages of the installation, for its staff. Whether a sign-in has their power the server decides; what it would refuse
// for want of an authenticator is not asked.
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
  /** Asked for only where it may be: what it shows is not even fetched otherwise. */
  children: () => ReactNode
}

export const StaffFrame = ({ title, trail = 'Installation', actions, children }: FrameProps) => {
  const { me, isStaff } = useSession()
  if (!isStaff)
    return (
      <Page title={title} trail={trail}>
        <Empty title="Only the staff of this installation see this">
          Its operator can make you one of them: millrace admin grant-platform
        </Empty>
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
          title="This takes an authenticator"
          action={
            <ButtonLink to="/settings/account" look="primary">
              Set up an authenticator
            </ButtonLink>
          }
        >
          What concerns every workspace is open only to a sign-in that was proved by a second factor.
        </Empty>
      )}
    </Page>
  )
}
