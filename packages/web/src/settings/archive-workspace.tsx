// Archives the workspace after its namespace was typed to confirm.
import { useState } from 'react'
import { call } from '../api/call.ts'
import { openWorkspace } from '../api/workspace.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel } from '../ui/page.tsx'
import { strings } from './strings.ts'

const ArchiveForm = () => {
  const { team } = useSession()
  const [typed, setTyped] = useState('')
  const archive = useAct({
    work: () => call('teams.archive', { path: { id: team.id } }),
    after: () => openWorkspace(''),
    quiet: true,
  })
  return (
    <Form act={archive} submit={strings.archive.submit} disabled={typed !== team.username}>
      <p className="text-soft">{strings.archive.text(team.name)}</p>
      <TextField
        label={strings.archive.confirmLabel(team.username)}
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

/** Shown to the owner of a shared workspace. */
export const ArchiveWorkspace = () => {
  const { team, role } = useSession()
  const [open, setOpen] = useState(false)
  if (role !== 'owner' || team.type !== 'team') return null
  return (
    <Panel title={strings.archive.panel}>
      <div className="flex flex-col items-start gap-3">
        <p className="text-soft">{strings.archive.note}</p>
        <Button look="danger" onClick={() => setOpen(true)}>
          {strings.archive.submit}
        </Button>
      </div>
      <Dialog open={open} onClose={() => setOpen(false)} title={strings.archive.title(team.name)}>
        <ArchiveForm />
      </Dialog>
    </Panel>
  )
}
