// What of a trigger can be changed: its name, when it fires, and what it hands over.
import type { Trigger } from '@millrace/contract/triggers'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ClockPart } from './clock-part.tsx'
import { InputPart, inputIn, isInputText } from './input-part.tsx'
import { clockOf, momentText } from './when.ts'

export const EditTrigger = ({ trigger, onDone }: { trigger: Trigger; onDone: () => void }) => {
  const [name, setName] = useState(trigger.name)
  const [clock, setClock] = useState(() => clockOf(trigger))
  const [at, setAt] = useState(() => momentText(trigger.scheduled_at))
  const [input, setInput] = useState(() =>
    Object.keys(trigger.input).length === 0 ? '' : JSON.stringify(trigger.input, null, 2),
  )
  const save = useAct({
    work: () =>
      call('triggers.update', {
        path: { id: trigger.id },
        body: {
          name,
          input: inputIn(input),
          ...(trigger.type === 'cron' ? { config: { ...trigger.config, ...clock } } : {}),
          ...(trigger.type === 'scheduled' ? { scheduled_at: new Date(at).toISOString() } : {}),
        },
      }),
    touches: ['triggers'],
    done: 'Saved',
    after: onDone,
    quiet: true,
  })
  return (
    <Form
      act={save}
      submit="Save"
      onSubmit={() => {
        if (isInputText(input)) save.mutate()
      }}
    >
      <TextField label="Name" required value={name} onChange={(event) => setName(event.target.value)} />
      {trigger.type === 'cron' ? <ClockPart {...clock} set={(part) => setClock({ ...clock, ...part })} /> : null}
      {trigger.type === 'scheduled' ? (
        <TextField
          label="Moment"
          type="datetime-local"
          required
          value={at}
          onChange={(event) => setAt(event.target.value)}
        />
      ) : null}
      <InputPart value={input} isWebhook={trigger.type === 'webhook'} onChange={setInput} />
    </Form>
  )
}
