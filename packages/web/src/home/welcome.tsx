// Asks a new user for their name, and whether they work alone or with a team. The user may postpone it.
import { useState } from 'react'
import { call } from '../api/call.ts'
import { openWorkspace } from '../api/workspace.ts'
import { namespaceFrom } from '../settings/namespace.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { RadioCards } from '../ui/radio-cards.tsx'
import { strings } from './strings.ts'

const words = strings.welcome

const laterKey = 'millrace.welcome'

type Answers = { personal: { id: string; username: string }; name: string; username: string }

// The namespace is the only value that can conflict. It is sent first, so that a refusal leaves everything unchanged.

const setUpAlone = async ({ personal: { id }, name, username }: Answers): Promise<void> => {
  await call('teams.set_up', { path: { id }, body: { username } })
  await call('teams.update', { path: { id }, body: { name } })
}

/** A personal workspace has one member forever, so a team gets its own. Returns its id. */
const createForTeam = async ({ personal, name, username }: Answers): Promise<string> => {
  const { id } = await call('teams.create', { body: { name, username, default_visibility: 'team' } })
  await call('teams.set_up', { path: { id: personal.id }, body: { username: personal.username } })
  await call('me.update', { body: { default_team_id: id } })
  return id
}

const Welcome = () => {
  const { me, team } = useSession()
  const [later, setLater] = useState(localStorage.getItem(laterKey) === team.id)
  const [fullName, setFullName] = useState(me.user.full_name)
  const [use, setUse] = useState<keyof typeof words.uses>('alone')
  const [workspace, setWorkspace] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const username = typed ?? namespaceFrom(workspace)
  const save = useAct({
    work: async () => {
      const answers = { personal: team, name: workspace, username }
      const created = use === 'team' ? await createForTeam(answers) : await setUpAlone(answers)
      if (fullName !== me.user.full_name) await call('me.update', { body: { full_name: fullName } })
      if (created) openWorkspace(created, '/settings/people')
    },
    touches: ['me', 'teams'],
    done: words.done(workspace),
    quiet: true,
  })
  if (later) return null
  const postpone = () => {
    localStorage.setItem(laterKey, team.id)
    setLater(true)
  }
  return (
    <Panel title={words.title}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <RadioCards label={words.use} choices={words.uses} chosen={use} onChoose={setUse} />
        <div className="grid gap-4 md:grid-cols-3">
          <TextField
            label={words.yourName}
            autoComplete="name"
            value={fullName}
            onChange={(event) => setFullName(event.target.value)}
          />
          <TextField
            label={words.workspaceName}
            required
            placeholder={words.workspaceExample}
            value={workspace}
            onChange={(event) => setWorkspace(event.target.value)}
          />
          <TextField
            label={words.namespace}
            required
            value={username}
            help={words.namespaceHelp(username)}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        {save.error ? <ProblemNote error={save.error} /> : null}
        <div className="flex gap-2">
          <Button type="submit" look="primary" busy={save.isPending}>
            {words.submit}
          </Button>
          <Button look="quiet" onClick={postpone}>
            {words.later}
          </Button>
        </div>
      </form>
    </Panel>
  )
}

export default Welcome
