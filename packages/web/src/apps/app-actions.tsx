// Actions on an app: duplicate, change its status, transfer.
import type { App } from '@millrace/contract/apps'
import { useRouter } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Transfer } from '../shell/transfer.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

const words = strings.settings

/** Available for every visible app. The copy is private and belongs to this workspace. */
export const DuplicateButton = ({ app }: { app: App }) => {
  const router = useRouter()
  const duplicate = useAct({
    work: () => call('apps.duplicate', { path: { id: app.id } }),
    touches: ['apps'],
    done: ({ namespace, name }) => strings.page.duplicated(`${namespace}/${name}`),
    after: ({ namespace, name }) => router.navigate({ to: '/apps/$namespace/$name', params: { namespace, name } }),
  })
  return (
    <Button busy={duplicate.isPending} onClick={() => duplicate.mutate()}>
      <Copy aria-hidden /> {strings.page.duplicate}
    </Button>
  )
}

const statuses = Object.keys(strings.statuses) as App['status'][]

export const AppStatus = ({ app }: { app: App }) => {
  const [status, setStatus] = useState(app.status)
  const [message, setMessage] = useState(app.status_message ?? '')
  const save = useAct({
    work: () => call('apps.set_status', { path: { id: app.id }, body: { status, message } }),
    touches: ['apps'],
    done: words.statusChanged,
    quiet: true,
  })
  return (
    <Panel title={words.statusTitle}>
      <Form act={save} submit={words.changeStatus} onSubmit={() => save.mutate()}>
        <SelectField
          label={uiStrings.status}
          value={status}
          help={words.statusHelp[status]}
          onChange={(event) => setStatus(event.target.value as App['status'])}
        >
          {statuses.map((each) => (
            <option key={each} value={each}>
              {strings.statuses[each]}
            </option>
          ))}
        </SelectField>
        <TextField
          label={words.message}
          placeholder={words.messageExample}
          maxLength={1000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      </Form>
    </Panel>
  )
}

export const TransferApp = ({ app }: { app: App }) => {
  const router = useRouter()
  return (
    <Transfer
      what={`${app.namespace}/${app.name}`}
      give={(team_id) => call('apps.transfer', { path: { id: app.id }, body: { team_id } })}
      resource="apps"
      leave={() => router.navigate({ to: '/apps' })}
    >
      {words.transferText}
    </Transfer>
  )
}
