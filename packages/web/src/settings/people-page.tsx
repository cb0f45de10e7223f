// Members of the workspace: roles, removal, pending invites.
import type { Invite, TeamMember } from '@millrace/contract/teams'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CopyButton } from '../ui/copy.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { inputLook } from '../ui/field.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { Ago } from '../ui/time.tsx'
import { InviteForm } from './invite-form.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { strings } from './strings.ts'

type Role = TeamMember['role']

const Member = ({ member, teamId }: { member: TeamMember; teamId: string }) => {
  const name = member.user?.full_name || member.user?.name || member.user?.email || member.user_id
  const path = { id: teamId, userId: member.user_id }
  const setRole = useAct({
    work: (role: Role) => call('members.set_role', { path, body: { role } }),
    touches: ['members'],
    done: strings.people.roleChanged,
  })
  const remove = useAct({
    work: () => call('members.remove', { path }),
    touches: ['members'],
    done: strings.people.removed(name),
  })
  const roles = member.assignable_roles ?? []
  return (
    <li className="flex flex-wrap items-center gap-3 border-b px-3 py-2 last:border-0">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-[12px] text-faint">{member.user?.email}</p>
      </div>
      {roles.length > 1 ? (
        <select
          aria-label={strings.people.roleOf(name)}
          className={classes(inputLook, 'h-8 w-28')}
          value={member.role}
          onChange={(event) => setRole.mutate(event.target.value as Role)}
        >
          {[...new Set([member.role, ...roles])].map((role) => (
            <option key={role}>{role}</option>
          ))}
        </select>
      ) : (
        <Badge>{member.role}</Badge>
      )}
      {member.removable ? (
        <ConfirmButton
          label={uiStrings.remove}
          title={uiStrings.removeTitle(name)}
          confirm={uiStrings.remove}
          act={() => remove.mutateAsync()}
        >
          {strings.people.removeText(name)}
        </ConfirmButton>
      ) : null}
    </li>
  )
}

const PendingInvite = ({ invite, teamId }: { invite: Invite; teamId: string }) => {
  const revoke = useAct({
    work: () => call('team_invites.revoke', { path: { id: teamId, inviteId: invite.id } }),
    touches: ['team_invites'],
    done: strings.people.inviteRevoked,
    quiet: true,
  })
  return (
    <li className="flex items-center gap-3 border-b px-3 py-2 last:border-0">
      <span className="min-w-0 grow truncate">{invite.email}</span>
      <Badge>{invite.role}</Badge>
      <span className="text-faint">
        {strings.people.expires} <Ago time={invite.expires_at} />
      </span>
      <CopyButton text={`${location.origin}/invite?id=${invite.id}`} label={strings.people.copyLink(invite.email)} />
      <ConfirmButton
        label={strings.people.revokeInvite}
        title={strings.people.revokeInviteTitle(invite.email)}
        confirm={strings.people.revokeInvite}
        act={() => revoke.mutateAsync()}
      >
        {strings.people.revokeInviteText}
      </ConfirmButton>
    </li>
  )
}

const PeoplePage = () => {
  const { team, isAdmin } = useSession()
  const [open, setOpen] = useState(false)
  const members = useQuery(read('members.list', { path: { id: team.id } }))
  const invites = useQuery({ ...read('team_invites.list', { path: { id: team.id } }), enabled: isAdmin })
  const pending = (invites.data ?? []).filter(({ status }) => status === 'pending')
  const personal = team.type === 'personal'
  return (
    <SettingsFrame
      title={strings.people.title}
      actions={
        isAdmin && !personal ? (
          <Button look="primary" onClick={() => setOpen(true)}>
            {strings.people.invite}
          </Button>
        ) : null
      }
    >
      <div className="flex flex-col gap-4">
        {personal ? <p className="text-soft">{strings.people.personal}</p> : null}
        <Panel title={strings.people.members} flush>
          {members.error ? <ProblemNote error={members.error} /> : null}
          {members.isPending ? <SkeletonRows rows={3} /> : null}
          <ul>
            {(members.data ?? []).map((member) => (
              <Member key={member.id} member={member} teamId={team.id} />
            ))}
          </ul>
        </Panel>
        {pending.length > 0 ? (
          <Panel title={strings.people.pendingInvites} flush>
            <p className="border-b px-3 py-2 text-soft">{strings.people.inviteHint}</p>
            <ul>
              {pending.map((invite) => (
                <PendingInvite key={invite.id} invite={invite} teamId={team.id} />
              ))}
            </ul>
          </Panel>
        ) : null}
      </div>
      <Dialog open={open} onClose={() => setOpen(false)} title={strings.people.inviteTitle(team.name)}>
        <InviteForm teamId={team.id} onDone={() => setOpen(false)} />
      </Dialog>
    </SettingsFrame>
  )
}

export default PeoplePage
