// What is done with an app as a whole: a copy of it, what its callers are told about it, and giving it away.
import type { App } from '@millrace/contract/apps'
import { useRouter } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { GiveAway } from '../shell/give-away.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
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
          {Object.keys(meanings).map((each) => (
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

export const GiveApp = ({ app }: { app: App }) => {
  const router = useRouter()
  return (
    <GiveAway
      what={`${app.namespace}/${app.name}`}
      give={(team_id) => call('apps.transfer', { path: { id: app.id }, body: { team_id } })}
      resource="apps"
      leave={() => router.navigate({ to: '/apps' })}
    >
      It is called by that workspace’s name from then on; flows and triggers here that use it by its old name will not
      find it.
    </GiveAway>
  )
}
