// What is done with an app as a whole: a copy of it, what its callers are told about it, and giving it away.
import { type App, appStatuses } from '@millrace/contract/apps'
import { useRouter } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useSession, useWorkspaces } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { notify } from '../ui/notify.ts'
import { Panel } from '../ui/page.tsx'

/** Of any app that can be seen: the copy is private, and this workspace's own. */
export const DuplicateButton = ({ app }: { app: App }) => {
  const router = useRouter()
  const duplicate = useAct({
    work: () => call('apps.duplicate', { path: { id: app.id } }),
    touches: ['apps'],
    done: ({ namespace, name }) => `The copy is ${namespace}/${name}`,
    after: ({ namespace, name }) => router.navigate({ to: '/apps/$namespace/$name', params: { namespace, name } }),
  })
  return (
    <Button busy={duplicate.isPending} onClick={() => duplicate.mutate()}>
      <Copy aria-hidden /> Duplicate
    </Button>
  )
}

const meanings: Readonly<Record<App['status'], string>> = {
  active: 'It is there to be used',
  maintenance: 'Runs are refused for a while, with the words below',
  deprecated: 'It still runs; whoever looks at it sees that it is on its way out',
  retired: 'Runs are refused for good, and it is not in the store',
}

export const AppStatus = ({ app }: { app: App }) => {
  const [status, setStatus] = useState(app.status)
  const [message, setMessage] = useState(app.status_message ?? '')
  const save = useAct({
    work: () => call('apps.set_status', { path: { id: app.id }, body: { status, message } }),
    touches: ['apps'],
    done: 'The status is changed',
    quiet: true,
  })
  return (
    <Panel title="Status">
      <Form act={save} submit="Change the status" onSubmit={() => save.mutate()}>
        <SelectField
          label="Status"
          value={status}
          help={meanings[status]}
          onChange={(event) => setStatus(event.target.value as App['status'])}
        >
          {appStatuses.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField
          label="Words to its callers"
          placeholder="Back on Monday"
          maxLength={1000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      </Form>
    </Panel>
  )
}

/** Shown where there is another workspace to give it to, and to whom the server lets give. */
export const GiveAway = ({ app }: { app: App }) => {
  const { team, isAdmin } = useSession()
  const router = useRouter()
  const others = (useWorkspaces().data ?? []).filter(({ id }) => id !== team.id)
  const [chosen, setChosen] = useState('')
  const target = others.find(({ id }) => id === chosen) ?? others[0]
  const give = async (teamId: string, teamName: string) => {
    await call('apps.transfer', { path: { id: app.id }, body: { team_id: teamId } })
    await router.navigate({ to: '/apps' })
    notify(`${app.name} belongs to ${teamName} now`)
  }
  if (!isAdmin || target === undefined) return null
  return (
    <Panel title="Give it to another workspace">
      <div className="flex flex-col gap-3">
        <SelectField label="Workspace" value={target.id} onChange={(event) => setChosen(event.target.value)}>
          {others.map(({ id, name, username }) => (
            <option key={id} value={id}>
              {name || username}
            </option>
          ))}
        </SelectField>
        <div>
          <ConfirmButton
            label="Give it away"
            title={`Give ${app.namespace}/${app.name} to ${target.name || target.username}?`}
            confirm="Give it away"
            act={() => give(target.id, target.name || target.username)}
          >
            It is called by that workspace’s name from then on; flows and triggers here that use it by its old name will
            not find it.
          </ConfirmButton>
        </div>
      </div>
    </Panel>
  )
}
