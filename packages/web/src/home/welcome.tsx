// The first thing that somebody new is asked: what they are called, and what their workspace is. Everything can wait.
import { useState } from 'react'
import { call } from '../api/call.ts'
import { namespaceFrom } from '../settings/namespace.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'

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
      // The name that can be taken comes first: refused, nothing has changed.
      await call('teams.set_up', { path: { id: team.id }, body: { username } })
      await call('teams.update', { path: { id: team.id }, body: { name: workspace } })
      if (fullName !== me.user.full_name) await call('me.update', { body: { full_name: fullName } })
    },
    touches: ['me', 'teams'],
    done: `${workspace} is yours`,
    quiet: true,
  })
  if (later) return null
  const postpone = () => {
    localStorage.setItem(laterKey, team.id)
    setLater(true)
  }
  return (
    <Panel title="Welcome to Millrace">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <div className="grid gap-4 md:grid-cols-3">
          <TextField
            label="Your name"
            autoComplete="name"
            value={fullName}
            onChange={(event) => setFullName(event.target.value)}
          />
          <TextField
            label="Name of your workspace"
            required
            placeholder="Ada’s mill"
            value={workspace}
            onChange={(event) => setWorkspace(event.target.value)}
          />
          <TextField
            label="Its namespace"
            required
            value={username}
            help={`Your apps are called ${username || 'namespace'}/name. It cannot be changed later.`}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        {save.error ? <ProblemNote error={save.error} /> : null}
        <div className="flex gap-2">
          <Button type="submit" look="primary" busy={save.isPending}>
            Set up the workspace
          </Button>
          <Button look="quiet" onClick={postpone}>
            Later
          </Button>
        </div>
      </form>
    </Panel>
  )
}

export default Welcome
