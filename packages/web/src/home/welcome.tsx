// Asks a new user for their name and the name of their workspace. The user may postpone it.
import { useState } from 'react'
import { call } from '../api/call.ts'
import { namespaceFrom } from '../settings/namespace.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { strings } from './strings.ts'

const words = strings.welcome

const laterKey = 'millrace.welcome'

const Welcome = () => {
  const { me, team } = useSession()
  const [later, setLater] = useState(localStorage.getItem(laterKey) === team.id)
  const [fullName, setFullName] = useState(me.user.full_name)
  const [workspace, setWorkspace] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const username = typed ?? namespaceFrom(workspace)
  const save = useAct({
    work: async () => {
      // The namespace is the only value that can conflict. It is sent first, so that a refusal leaves everything unchanged.
      await call('teams.set_up', { path: { id: team.id }, body: { username } })
      await call('teams.update', { path: { id: team.id }, body: { name: workspace } })
      if (fullName !== me.user.full_name) await call('me.update', { body: { full_name: fullName } })
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
