// Pending invites of the signed-in person. They are listed here because a mail may never have been sent.
import type { Invite } from '@millrace/contract/teams'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { openWorkspace } from '../api/workspace.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Panel } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { strings } from './strings.ts'

const touches = ['invites', 'teams', 'me']

const Row = ({ invite }: { invite: Invite }) => {
  const name = invite.team?.name ?? strings.myInvites.someWorkspace
  const by = invite.invited_by?.full_name || invite.invited_by?.name || invite.invited_by?.email
  const accept = useAct({
    work: () => call('invites.accept', { path: { id: invite.id } }),
    after: ({ team_id }) => openWorkspace(team_id),
  })
  const decline = useAct({
    work: () => call('invites.decline', { path: { id: invite.id } }),
    touches,
    done: strings.myInvites.declined,
    quiet: true,
  })
  return (
    <li className="flex flex-wrap items-center gap-3 border-b px-3 py-2 last:border-0">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-[12px] text-faint">
          {strings.myInvites.role} {invite.role}
          {by ? strings.myInvites.invitedBy(by) : ''}
          {strings.myInvites.expires} <Ago time={invite.expires_at} />
        </p>
      </div>
      <Button
        look="primary"
        busy={accept.isPending}
        aria-label={strings.myInvites.joinThing(name)}
        onClick={() => accept.mutate()}
      >
        {strings.myInvites.join}
      </Button>
      <ConfirmButton
        label={strings.myInvites.decline}
        title={strings.myInvites.declineTitle(name)}
        confirm={strings.myInvites.decline}
        act={() => decline.mutateAsync()}
      >
        {strings.myInvites.declineText}
      </ConfirmButton>
    </li>
  )
}

export const MyInvites = () => {
  const { data: invites = [] } = useQuery(read('invites.list'))
  if (invites.length === 0) return null
  return (
    <Panel title={strings.myInvites.title} flush>
      <ul>
        {invites.map((invite) => (
          <Row key={invite.id} invite={invite} />
        ))}
      </ul>
    </Panel>
  )
}
