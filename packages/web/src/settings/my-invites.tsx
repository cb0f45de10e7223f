// Invites to workspaces of others that wait for an answer. They are found here without the mail, which may never have been sent.
import type { Invite } from '@millrace/contract/teams'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Panel } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'

const touches = ['invites', 'teams', 'me']

const Row = ({ invite }: { invite: Invite }) => {
  const name = invite.team?.name ?? 'a workspace'
  const by = invite.invited_by?.full_name || invite.invited_by?.name || invite.invited_by?.email
  const accept = useAct({
    work: () => call('invites.accept', { path: { id: invite.id } }),
    touches,
    done: `You are a member of ${name}: choose it where the workspace is named`,
  })
  const decline = useAct({
    work: () => call('invites.decline', { path: { id: invite.id } }),
    touches,
    done: 'The invite is turned down',
    quiet: true,
  })
  return (
    <li className="flex flex-wrap items-center gap-3 border-b px-3 py-2 last:border-0">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-[12px] text-faint">
          as {invite.role}
          {by ? `, by ${by}` : ''}, ends <Ago time={invite.expires_at} />
        </p>
      </div>
      <Button look="primary" busy={accept.isPending} aria-label={`Join ${name}`} onClick={() => accept.mutate()}>
        Join
      </Button>
      <ConfirmButton
        label="Decline"
        title={`Decline to join ${name}?`}
        confirm="Decline"
        act={() => decline.mutateAsync()}
      >
        Somebody there has to invite you again if you change your mind.
      </ConfirmButton>
    </li>
  )
}

export const MyInvites = () => {
  const { data: invites = [] } = useQuery(read('invites.list'))
  if (invites.length === 0) return null
  return (
    <Panel title="You are invited" flush>
      <ul>
        {invites.map((invite) => (
          <Row key={invite.id} invite={invite} />
        ))}
      </ul>
    </Panel>
  )
}
