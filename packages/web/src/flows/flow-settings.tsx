// What a flow is called and who sees it; a copy of it; and its end.
import type { Flow } from '@millrace/contract/flows'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { GiveAway } from '../shell/give-away.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { AreaField, SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'

const shown = { private: 'Only you', unlisted: 'Everyone with the link', public: 'Everyone' } as const
type Shown = keyof typeof shown

const Texts = ({ flow, onDone }: { flow: Flow; onDone: () => void }) => {
  const [title, setTitle] = useState(flow.title)
  const [name, setName] = useState(flow.name)
  const [description, setDescription] = useState(flow.description)
  const save = useAct({
    work: () => call('flows.patch', { path: { id: flow.id }, body: { title, name, description } }),
    touches: ['flows'],
    done: 'Saved',
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit="Save">
      <TextField label="Title" required value={title} onChange={(event) => setTitle(event.target.value)} />
      <TextField
        label="Name"
        required
        value={name}
        help={`Programs call it ${flow.namespace}/${name}`}
        onChange={(event) => setName(event.target.value)}
      />
      <AreaField
        label="Description"
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
    work: (visibility: Shown) => call('flows.set_visibility', { path: { id: flow.id }, body: { visibility } }),
    touches: ['flows'],
    done: 'Visibility changed',
  })
  const copy = useAct({
    work: () => call('flows.duplicate', { path: { id: flow.id } }),
    touches: ['flows'],
    done: 'This is the copy',
    after: ({ id }) => navigate({ to: '/flows/$id', params: { id } }),
  })
  const deploy = useAct({
    work: () => call('flows.deploy', { path: { id: flow.id }, body: {} }),
    touches: ['apps', 'flows'],
    done: 'Published, and an app that runs what is published',
    after: ({ namespace, name }) => navigate({ to: '/apps/$namespace/$name', params: { namespace, name } }),
  })
  const remove = useRemoval({
    work: () => call('flows.delete', { path: { id: flow.id } }),
    resource: 'flows',
    done: `${flow.title || flow.name} is deleted`,
    leave: () => navigate({ to: '/flows' }),
  })
  return (
    <div className="flex flex-col gap-4">
      <Texts flow={flow} onDone={onDone} />
      <SelectField
        label="Who sees it"
        value={flow.visibility}
        disabled={show.isPending}
        onChange={(event) => show.mutate(event.target.value as Shown)}
      >
        {/* How a flow begins, and nothing that can be chosen again. */}
        {Object.hasOwn(shown, flow.visibility) ? null : <option value={flow.visibility}>The workspace</option>}
        {Object.entries(shown).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <GiveAway
        what={`${flow.namespace}/${flow.name}`}
        give={(team_id) => call('flows.transfer', { path: { id: flow.id }, body: { team_id } })}
        resource="flows"
        leave={() => navigate({ to: '/flows' })}
      >
        It is called by that workspace’s name from then on; triggers here that start it will not find it.
      </GiveAway>
      <div className="flex flex-wrap gap-2 border-t pt-4">
        <Button busy={copy.isPending} onClick={() => copy.mutate()}>
          Make a copy
        </Button>
        <Button busy={deploy.isPending} onClick={() => deploy.mutate()}>
          Make it an app
        </Button>
        <ConfirmButton
          label="Delete the flow"
          title={`Delete ${flow.title || flow.name}?`}
          confirm="Delete"
          act={remove}
        >
          Its versions go with it; triggers and callers that name it fail. Runs it has had stay.
        </ConfirmButton>
      </div>
    </div>
  )
}
