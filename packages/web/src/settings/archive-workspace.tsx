// The end of a workspace. It is not asked in passing: whoever means it writes its namespace.
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useSession, useSwitchWorkspace } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel } from '../ui/page.tsx'

const ArchiveForm = () => {
  const { team } = useSession()
  const switchTo = useSwitchWorkspace()
  const router = useRouter()
  const [typed, setTyped] = useState('')
  const archive = useAct({
    work: () => call('teams.archive', { path: { id: team.id } }),
    done: `${team.name} is archived`,
    after: () => {
      // First: what is asked from here on is asked of one's own workspace.
      switchTo('')
      void router.navigate({ to: '/' })
    },
    quiet: true,
  })
  return (
    <Form act={archive} submit="Archive it" disabled={typed !== team.username}>
      <p className="text-soft">
        Nobody can enter {team.name} any more. Its API keys, invites and connections end at once, and its triggers fire
        no more.
      </p>
      <TextField
        label={`Type ${team.username} to go on`}
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Form>
  )
}

/** Only its owner may, and only where it is not somebody's own. */
export const ArchiveWorkspace = () => {
  const { team, role } = useSession()
  const [open, setOpen] = useState(false)
  if (role !== 'owner' || team.type !== 'team') return null
  return (
    <Panel title="The end of this workspace">
      <div className="flex flex-col items-start gap-3">
        <p className="text-soft">What is in it is kept, but nobody reaches it.</p>
        <Button look="danger" onClick={() => setOpen(true)}>
          Archive the workspace
        </Button>
      </div>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Archive ${team.name}?`}>
        <ArchiveForm />
      </Dialog>
    </Panel>
  )
}
