// The account of the signed-in person: invites, profile, sessions, two-factor authentication.
import type { AuthSession } from '@millrace/contract/identity'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { Ago } from '../ui/time.tsx'
import { Authenticator } from './authenticator.tsx'
import { MyInvites } from './my-invites.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { strings } from './strings.ts'

const Profile = () => {
  const { me } = useSession()
  const [fullName, setFullName] = useState(me.user.full_name)
  const save = useAct({
    work: () => call('me.update', { body: { full_name: fullName } }),
    touches: ['me'],
    done: uiStrings.saved,
  })
  return (
    <Panel title={strings.account.profile}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextField label={strings.account.email} value={me.user.email} readOnly disabled />
        <TextField
          label={uiStrings.name}
          value={fullName}
          onChange={(event) => setFullName(event.target.value)}
          autoComplete="name"
        />
        <Button type="submit" busy={save.isPending} className="self-start">
          {uiStrings.save}
        </Button>
      </form>
    </Panel>
  )
}

const SessionRow = ({ session }: { session: AuthSession }) => {
  const end = useAct({
    work: () => call('auth.sessions.revoke', { path: { id: session.id } }),
    touches: ['auth'],
    done: strings.account.sessionEnded,
  })
  const place = [session.city, session.country].filter(Boolean).join(', ')
  return (
    <li className="flex items-center gap-3 border-b px-3 py-2 last:border-0">
      <div className="min-w-0 grow">
        <p className="truncate">
          {[session.browser, session.os].filter(Boolean).join(' on ') || session.auth_method}{' '}
          {session.current ? <Badge tone="ok">{strings.account.currentSession}</Badge> : null}
        </p>
        <p className="truncate text-[12px] text-faint">
          {[session.ip, place].filter(Boolean).map((part) => `${part} · `)}
          {strings.account.signedIn} <Ago time={session.created_at} />
        </p>
      </div>
      {session.current ? null : (
        <Button busy={end.isPending} onClick={() => end.mutate()}>
          {strings.account.signOut}
        </Button>
      )}
    </li>
  )
}

const Sessions = () => {
  const { me } = useSession()
  const sessions = useQuery(read('auth.sessions.list'))
  const endAll = useAct({
    work: () => call('auth.sessions.revoke_all'),
    touches: ['auth'],
    done: strings.account.otherSessionsEnded,
    quiet: true,
  })
  return (
    <Panel
      title={strings.account.sessions}
      flush
      actions={
        <ConfirmButton
          label={strings.account.signOutOthers}
          title={strings.account.signOutOthersTitle}
          confirm={strings.account.signOut}
          act={() => endAll.mutateAsync()}
        >
          {strings.account.signOutOthersText(me.user.email)}
        </ConfirmButton>
      }
    >
      {sessions.error ? <ProblemNote error={sessions.error} /> : null}
      {sessions.isPending ? <SkeletonRows rows={2} /> : null}
      <ul>
        {(sessions.data ?? []).map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
    </Panel>
  )
}

const AccountPage = () => (
  <SettingsFrame title={strings.account.title}>
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex flex-col gap-4">
        <MyInvites />
        <Profile />
        <Authenticator />
      </div>
      <Sessions />
    </div>
  </SettingsFrame>
)

export default AccountPage
