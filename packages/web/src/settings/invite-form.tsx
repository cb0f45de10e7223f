// Asking somebody into the workspace: by an invite, or at once where they have an account here.
import type { TeamMember } from '@millrace/contract/teams'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ProblemNote } from '../ui/page.tsx'

type Role = TeamMember['role']

export const InviteForm = ({ teamId, onDone }: { teamId: string; onDone: () => void }) => {
  const { role: own } = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const asked = { path: { id: teamId }, body: { email, role } }
  const invite = useAct({
    work: () => call('team_invites.create', asked),
    touches: ['team_invites'],
    done: `${email} is invited`,
    after: onDone,
    quiet: true,
  })
  const add = useAct({
    work: () => call('members.add', asked),
    touches: ['members'],
    done: `${email} is a member`,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={invite} submit="Send the invite">
      <TextField
        label="E-mail address"
        type="email"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label="Role"
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
        help="Members run and build; admins also manage people, secrets and engines"
      >
        <option>member</option>
        <option>admin</option>
        {own === 'owner' ? <option>owner</option> : null}
      </SelectField>
      <p className="text-[12px] text-faint">
        Where mail is set up, a link is mailed; otherwise the server prints it. Either way the invite is found after
        signing in here with that address. Whoever has an account here already needs none.
      </p>
      <Button className="self-start" busy={add.isPending} disabled={!email.includes('@')} onClick={() => add.mutate()}>
        Add them at once
      </Button>
      {add.error ? <ProblemNote error={add.error} /> : null}
    </Form>
  )
}
