// Workspace settings: name, archive, and a form that creates another workspace.
import { useState } from 'react'
import { call } from '../api/call.ts'
import { openWorkspace } from '../api/workspace.ts'
import { useSession } from '../shell/session.tsx'
import { VisibilityField } from '../shell/visibility-field.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { TextField } from '../ui/field.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { ArchiveWorkspace } from './archive-workspace.tsx'
import { namespaceFrom } from './namespace.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { strings } from './strings.ts'

const Current = () => {
  const { team, isAdmin } = useSession()
  const [name, setName] = useState(team.name)
  const [visibility, setVisibility] = useState(team.default_visibility)
  const save = useAct({
    work: () => call('teams.update', { path: { id: team.id }, body: { name, default_visibility: visibility } }),
    touches: ['me', 'teams'],
    done: uiStrings.saved,
  })
  return (
    <Panel title={strings.workspace.current} actions={<Id id={team.id} />}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextField
          label={uiStrings.name}
          required
          disabled={!isAdmin}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={strings.workspace.namespace}
          value={team.username}
          disabled
          readOnly
          help={strings.workspace.namespaceHelp}
        />
        {team.type === 'personal' ? null : (
          <VisibilityField
            label={strings.workspace.defaultVisibility}
            help={strings.workspace.defaultVisibilityHelp}
            disabled={!isAdmin}
            value={visibility}
            choices={['private', 'team']}
            onChoose={setVisibility}
          />
        )}
        {isAdmin ? (
          <Button type="submit" busy={save.isPending} className="self-start">
            {uiStrings.save}
          </Button>
        ) : null}
      </form>
    </Panel>
  )
}

const Another = () => {
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const username = typed ?? namespaceFrom(name)
  const create = useAct({
    work: () => call('teams.create', { body: { name, username, default_visibility: 'team' } }),
    after: (team) => openWorkspace(team.id),
    quiet: true,
  })
  return (
    <Panel title={strings.workspace.newWorkspace}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextField
          label={strings.workspace.newName}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={strings.workspace.newNamespace}
          required
          value={username}
          help={strings.workspace.newNamespaceHelp}
          onChange={(event) => setTyped(event.target.value)}
        />
        {create.error ? <ProblemNote error={create.error} /> : null}
        <Button type="submit" busy={create.isPending} className="self-start">
          {strings.workspace.create}
        </Button>
      </form>
    </Panel>
  )
}

const WorkspacePage = () => (
  <SettingsFrame title={strings.workspace.title}>
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex flex-col gap-4">
        <Current />
        <ArchiveWorkspace />
      </div>
      <Another />
    </div>
  </SettingsFrame>
)

export default WorkspacePage
