// Invites a person to the workspace, or adds a person who already has an account.
import type { TeamMember } from '@millrace/contract/teams'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ProblemNote } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

type Role = TeamMember['role']

export const InviteForm = ({ teamId, onDone }: { teamId: string; onDone: () => void }) => {
  const { role: own } = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const asked = { path: { id: teamId }, body: { email, role } }
  const invite = useAct({
    work: () => call('team_invites.create', asked),
    touches: ['team_invites'],
    done: strings.invite.sent(email),
    after: onDone,
    quiet: true,
  })
  const add = useAct({
    work: () => call('members.add', asked),
    touches: ['members'],
    done: strings.invite.added(email),
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={invite} submit={strings.invite.submit}>
      <TextField
        label={strings.account.email}
        type="email"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label={uiStrings.role}
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
        help={strings.invite.roleHelp}
      >
        <option>{strings.invite.roles.member}</option>
        <option>{strings.invite.roles.admin}</option>
        {own === 'owner' ? <option>{strings.invite.roles.owner}</option> : null}
      </SelectField>
      <p className="text-[12px] text-faint">{strings.invite.text}</p>
      <Button className="self-start" busy={add.isPending} disabled={!email.includes('@')} onClick={() => add.mutate()}>
        {strings.invite.addNow}
      </Button>
      {add.error ? <ProblemNote error={add.error} /> : null}
    </Form>
  )
}
