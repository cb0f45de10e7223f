// One organization: its workspaces and admins.
import type { MemberUser, Team } from '@millrace/contract/teams'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Picker, useMatches } from '../ui/picker.tsx'
import { Badge } from '../ui/status.tsx'
import { StaffFrame } from './staff-frame.tsx'

const touches = ['organizations', 'workspaces']
const rowLook = 'flex min-h-11 flex-wrap items-center gap-3 border-b px-3 py-1.5 last:border-0'

const Workspace = ({ orgId, team }: { orgId: string; team: Team }) => {
  const detach = useAct({
    work: () => call('organizations.detach_team', { path: { id: orgId, teamId: team.id } }),
    touches,
    done: `${team.name} is detached`,
  })
  return (
    <li className={rowLook}>
      <Link
        to="/installation/workspaces/$id"
        params={{ id: team.id }}
        className="min-w-0 grow truncate hover:underline"
      >
        <span className="font-medium">{team.name}</span> <span className="text-faint">{team.username}</span>
      </Link>
      {team.type === 'org' ? (
        <Badge tone="accent">own workspace</Badge>
      ) : (
        <ConfirmButton label="Detach" title={`Detach ${team.name}?`} confirm="Detach" act={() => detach.mutateAsync()}>
          Its own admins manage it again; the organization’s admins lose access.
        </ConfirmButton>
      )}
    </li>
  )
}

const Attach = ({ orgId, attached }: { orgId: string; attached: readonly Team[] }) => {
  const [term, setTerm] = useState('')
  const list = useMatches('workspaces.list', term, {
    sort: [{ field: 'name', dir: 'asc' }],
    filters: [{ field: 'type', operator: 'eq', value: 'team' }],
  })
  const attach = useAct({
    work: (team_id: string) => call('organizations.attach_team', { path: { id: orgId }, body: { team_id } }),
    touches,
    done: ({ name }) => `${name} is attached`,
  })
  const inside = new Set(attached.map(({ id }) => id))
  const outside = list.items.filter(({ id }) => !inside.has(id))
  return (
    <div className="flex flex-col gap-3 border-t p-3">
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      <Picker
        label="Attach workspace"
        chosen={null}
        groups={[{ choices: outside.map(({ id, name, username }) => ({ value: id, label: name, note: username })) }]}
        isLoading={list.isLoading || attach.isPending}
        onTerm={setTerm}
        onChoose={({ value }) => attach.mutate(value)}
      />
    </div>
  )
}

const Workspaces = ({ orgId }: { orgId: string }) => {
  const teams = useQuery(read('organizations.list_teams', { path: { id: orgId } }))
  return (
    <Panel title="Workspaces" flush>
      {teams.error ? <ProblemNote error={teams.error} retry={() => void teams.refetch()} /> : null}
      {teams.isPending ? <SkeletonRows rows={2} /> : null}
      <ul aria-label="Workspaces of the organization">
        {(teams.data ?? []).map((team) => (
          <Workspace key={team.id} orgId={orgId} team={team} />
        ))}
      </ul>
      {teams.data ? <Attach orgId={orgId} attached={teams.data} /> : null}
    </Panel>
  )
}

const Admin = ({ orgId, user }: { orgId: string; user: MemberUser }) => {
  const name = user.full_name || user.name || user.email
  const remove = useAct({
    work: () => call('organizations.remove_admin', { path: { id: orgId, userId: user.id } }),
    touches,
    done: `${name} is no longer an admin`,
  })
  return (
    <li className={rowLook}>
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-[12px] text-faint">{user.email}</span>
      </span>
      <ConfirmButton label="Remove" title={`Remove ${name}?`} confirm="Remove" act={() => remove.mutateAsync()}>
        They keep access only to workspaces where they are members.
      </ConfirmButton>
    </li>
  )
}

const AddAdmin = ({ orgId }: { orgId: string }) => {
  const [email, setEmail] = useState('')
  const add = useAct({
    work: () => call('organizations.add_admin', { path: { id: orgId }, body: { email } }),
    touches,
    done: ({ user }) => `${user.full_name || user.email} is an admin`,
    after: () => setEmail(''),
    quiet: true,
  })
  return (
    <form
      className="flex flex-col gap-3 border-t p-3"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <TextField
        label="Email address of another admin"
        type="email"
        required
        help="An account must exist for this address"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      {add.error ? <ProblemNote error={add.error} /> : null}
      <Button type="submit" busy={add.isPending} className="self-start">
        Add admin
      </Button>
    </form>
  )
}

const Admins = ({ orgId }: { orgId: string }) => {
  const admins = useQuery(read('organizations.list_admins', { path: { id: orgId } }))
  return (
    <Panel title="Admins" flush>
      {admins.error ? <ProblemNote error={admins.error} retry={() => void admins.refetch()} /> : null}
      {admins.isPending ? <SkeletonRows rows={2} /> : null}
      <ul aria-label="Admins of the organization">
        {(admins.data ?? []).map(({ user_id, user }) => (
          <Admin key={user_id} orgId={orgId} user={user} />
        ))}
      </ul>
      <AddAdmin orgId={orgId} />
    </Panel>
  )
}

const OrganizationDetails = ({ id }: { id: string }) => {
  const { data, error, isPending } = useQuery(read('organizations.get', { path: { id } }))
  if (isPending) return <SkeletonRows />
  if (!data) return <ProblemNote error={error} />
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Workspaces orgId={data.id} />
      <Admins orgId={data.id} />
    </div>
  )
}

const OrganizationPage = () => {
  const { id } = useParams({ from: '/installation/organizations/$id' })
  // Loaded below once permitted; here it only provides the title.
  const { data } = useQuery({ ...read('organizations.get', { path: { id } }), enabled: false })
  return (
    <StaffFrame
      title={data?.name ?? 'Organization'}
      trail={
        <Link to="/installation/organizations" className="hover:underline">
          Organizations
        </Link>
      }
      actions={<Id id={id} />}
    >
      {() => <OrganizationDetails id={id} />}
    </StaffFrame>
  )
}

export default OrganizationPage
