// Edits the name, schedule, input and mapping of a trigger. The mapping preview uses the latest delivery.
import type { Trigger } from '@millrace/contract/triggers'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { SkeletonRows } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { InputPart, type TriggerInput } from './input-part.tsx'
import { mappingOf, rowsOf } from './mapping.ts'
import { MappingPart } from './mapping-part.tsx'
import { SchedulePart } from './schedule-part.tsx'
import { strings } from './strings.ts'
import { dateTimeInputText, scheduleOf } from './when.ts'

const targetOf = ({ action, app_id, flow_id, agent_id }: Trigger) => ({
  action,
  id: app_id ?? flow_id ?? agent_id ?? '',
})

/** The latest delivery is the sample of the mapping preview. */
const useLatest = ({ id }: Trigger) =>
  useList('trigger_fires.list', {
    limit: 1,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'trigger_id', operator: 'eq', value: id }],
  })

export const EditTrigger = ({ trigger, onDone }: { trigger: Trigger; onDone: () => void }) => {
  const [name, setName] = useState(trigger.name)
  const [schedule, setSchedule] = useState(() => scheduleOf(trigger))
  const [at, setAt] = useState(() => dateTimeInputText(trigger.scheduled_at))
  const [input, setInput] = useState<TriggerInput>(Object.keys(trigger.input).length === 0 ? undefined : trigger.input)
  const [rows, setRows] = useState(() => rowsOf(trigger.input_mapping))
  const latest = useLatest(trigger)
  const mapping = mappingOf(rows)
  const save = useAct({
    work: () =>
      call('triggers.update', {
        path: { id: trigger.id },
        body: {
          name,
          input: input ?? {},
          input_mapping: mapping ?? {},
          ...(trigger.type === 'cron' ? { config: { ...trigger.config, ...schedule } } : {}),
          ...(trigger.type === 'scheduled' ? { scheduled_at: new Date(at).toISOString() } : {}),
        },
      }),
    touches: ['triggers'],
    done: uiStrings.saved,
    after: onDone,
    quiet: true,
  })
  return (
    <Form
      act={save}
      submit={uiStrings.save}
      onSubmit={() => {
        if (mapping !== undefined) save.mutate()
      }}
    >
      <TextField label={uiStrings.name} required value={name} onChange={(event) => setName(event.target.value)} />
      {trigger.type === 'cron' ? (
        <SchedulePart {...schedule} set={(part) => setSchedule({ ...schedule, ...part })} />
      ) : null}
      {trigger.type === 'scheduled' ? (
        <TextField
          label={strings.schedule.time}
          type="datetime-local"
          required
          value={at}
          onChange={(event) => setAt(event.target.value)}
        />
      ) : null}
      <InputPart value={input} isWebhook={trigger.type === 'webhook'} isMapped={rows.length > 0} onChange={setInput} />
      {latest.isLoading ? (
        <SkeletonRows rows={2} />
      ) : (
        <MappingPart
          target={targetOf(trigger)}
          rows={rows}
          input={input ?? {}}
          sample={latest.items[0]?.payload ?? {}}
          isWebhook={trigger.type === 'webhook'}
          onChange={setRows}
        />
      )}
    </Form>
  )
}
