// Settings of a flow: names, visibility, duplicate, transfer and delete.
import type { Flow } from '@millrace/contract/flows'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Transfer } from '../shell/transfer.tsx'
import { visibilityStrings } from '../shell/visibility.ts'
import { VisibilityField } from '../shell/visibility-field.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { AreaField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { strings } from './strings.ts'

const words = strings.settings

const visibilities = ['private', 'team', 'unlisted', 'public'] as const
type ResourceVisibility = (typeof visibilities)[number]

const Texts = ({ flow, onDone }: { flow: Flow; onDone: () => void }) => {
  const [title, setTitle] = useState(flow.title)
  const [name, setName] = useState(flow.name)
  const [description, setDescription] = useState(flow.description)
  const save = useAct({
    work: () => call('flows.patch', { path: { id: flow.id }, body: { title, name, description } }),
    touches: ['flows'],
    done: words.saved,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={words.save}>
      <TextField label={words.title} required value={title} onChange={(event) => setTitle(event.target.value)} />
      <TextField
        label={words.name}
        required
        value={name}
        help={words.nameHelp(`${flow.namespace}/${name}`)}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label={words.description}
        rows={3}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </Form>
  )
}

export const FlowSettings = ({ flow, onDone }: { flow: Flow; onDone: () => void }) => {
  const navigate = useNavigate()
  const show = useAct({
    work: (visibility: ResourceVisibility) =>
      call('flows.set_visibility', { path: { id: flow.id }, body: { visibility } }),
    touches: ['flows'],
    done: ({ visibility }) => visibilityStrings.changed(visibility),
  })
  const copy = useAct({
    work: () => call('flows.duplicate', { path: { id: flow.id } }),
    touches: ['flows'],
    done: words.duplicated,
    after: ({ id }) => navigate({ to: '/flows/$id', params: { id } }),
  })
  const deploy = useAct({
    work: () => call('flows.deploy', { path: { id: flow.id }, body: {} }),
    touches: ['apps', 'flows'],
    done: words.deployed,
    after: ({ namespace, name }) => navigate({ to: '/apps/$namespace/$name', params: { namespace, name } }),
  })
  const remove = useRemoval({
    work: () => call('flows.delete', { path: { id: flow.id } }),
    resource: 'flows',
    done: words.deleted(flow.title || flow.name),
    leave: () => navigate({ to: '/flows' }),
  })
  return (
    <div className="flex flex-col gap-4">
      <Texts flow={flow} onDone={onDone} />
      <VisibilityField
        value={flow.visibility}
        choices={visibilities}
        disabled={show.isPending}
        onChoose={show.mutate}
      />
      <Transfer
        what={`${flow.namespace}/${flow.name}`}
        give={(team_id) => call('flows.transfer', { path: { id: flow.id }, body: { team_id } })}
        resource="flows"
        leave={() => navigate({ to: '/flows' })}
      >
        {words.transferText}
      </Transfer>
      <div className="flex flex-wrap gap-2 border-t pt-4">
        <Button busy={copy.isPending} onClick={() => copy.mutate()}>
          {words.duplicate}
        </Button>
        <Button busy={deploy.isPending} onClick={() => deploy.mutate()}>
          {words.deploy}
        </Button>
        <ConfirmButton
          label={words.delete}
          title={words.deleteTitle(flow.title || flow.name)}
          confirm={words.delete}
          act={remove}
        >
          {words.deleteText}
        </ConfirmButton>
      </div>
    </div>
  )
}
