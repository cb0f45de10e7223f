// Creates a trigger: the event, the action, and the input.
import type { TriggerAction, TriggerType } from '@millrace/contract/triggers'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { classes } from '../ui/classes.ts'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { InputPart, type TriggerInput } from './input-part.tsx'
import { type MapRow, mappingOf } from './mapping.ts'
import { MappingPart, type TriggerTarget } from './mapping-part.tsx'
import { SchedulePart, zones } from './schedule-part.tsx'
import { SenderPart } from './sender-part.tsx'
import { strings } from './strings.ts'
import { TargetPart } from './target-part.tsx'

const types: readonly { type: TriggerType; label: string; note: string }[] = [
  { type: 'webhook', label: strings.types.webhook, note: strings.types.notes.webhook },
  { type: 'cron', label: strings.types.cron, note: strings.types.notes.cron },
  { type: 'scheduled', label: strings.types.scheduled, note: strings.types.notes.scheduled },
  { type: 'manual', label: strings.types.manual, note: strings.types.notes.manual },
]

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

type Draft = {
  name: string
  type: TriggerType
  expression: string
  timezone: string
  at: string
  sourceId: string
  secretRef: string
  target: string
  input: TriggerInput
  rows: MapRow[]
}

/** `target` is a kind and an id, for example `flow 0197…`. */
const targetOf = ({ target }: Draft): TriggerTarget => {
  const [kind, id = ''] = target.split(' ')
  return { action: `run_${kind}` as TriggerAction, id }
}

const bodyOf = (draft: Draft) => {
  const { action, id } = targetOf(draft)
  const config: Record<string, unknown> =
    draft.type === 'cron'
      ? { expression: draft.expression, timezone: draft.timezone }
      : draft.type === 'webhook' && draft.secretRef !== ''
        ? { secret_ref: draft.secretRef }
        : {}
  return {
    name: draft.name,
    type: draft.type,
    config,
    action,
    [action.replace('run_', '').concat('_id')]: id,
    ...(draft.type === 'webhook' && draft.sourceId !== '' ? { source_id: draft.sourceId } : {}),
    ...(draft.type === 'scheduled' ? { scheduled_at: new Date(draft.at).toISOString() } : {}),
    ...(draft.input === undefined ? {} : { input: draft.input }),
    ...(draft.rows.length === 0 ? {} : { input_mapping: mappingOf(draft.rows) ?? {} }),
  }
}

type Part = { draft: Draft; set: (part: Partial<Draft>) => void }

/** The payload of scheduled events; the body of a webhook is unknown before its first delivery. */
const sampleOf = (type: TriggerType): unknown =>
  type === 'cron' || type === 'scheduled'
    ? { scheduled_at: '2030-01-01T09:00:00Z', trigger_id: '…' }
    : { text: 'hello' }

const InputAndMapping = ({ draft, set }: Part) => {
  const isWebhook = draft.type === 'webhook'
  return (
    <>
      <InputPart
        value={draft.input}
        isWebhook={isWebhook}
        isMapped={draft.rows.length > 0}
        onChange={(input) => set({ input })}
      />
      {draft.target === '' ? null : (
        <MappingPart
          key={draft.type}
          target={targetOf(draft)}
          rows={draft.rows}
          input={draft.input ?? {}}
          sample={sampleOf(draft.type)}
          isWebhook={isWebhook}
          onChange={(rows) => set({ rows })}
        />
      )}
    </>
  )
}

const NewTriggerPage = () => {
  const navigate = useNavigate()
  const { flow } = useSearch({ from: '/triggers/new' })
  const [draft, setDraft] = useState<Draft>({
    name: '',
    type: 'webhook',
    expression: '0 9 * * 1-5',
    timezone: zones.includes(ownZone) ? ownZone : 'UTC',
    at: '',
    sourceId: '',
    secretRef: '',
    target: flow === undefined ? '' : `flow ${flow}`,
    input: undefined,
    rows: [],
  })
  const set = (part: Partial<Draft>) => setDraft((previous) => ({ ...previous, ...part }))
  const create = useAct({
    work: () => call('triggers.create', { body: bodyOf(draft) }),
    touches: ['triggers'],
    done: strings.create.done,
    after: ({ id }) => navigate({ to: '/triggers/$id', params: { id } }),
    quiet: true,
  })
  return (
    <Page
      title={strings.create.title}
      trail={
        <Link to="/triggers" className="hover:underline">
          {strings.title}
        </Link>
      }
    >
      <div className="max-w-3xl">
        <Form
          act={create}
          submit={strings.create.title}
          onSubmit={() => {
            if (mappingOf(draft.rows) !== undefined) create.mutate()
          }}
        >
          <Panel title={strings.create.event}>
            <div className="flex flex-col gap-4">
              <div className="grid gap-2 sm:grid-cols-4">
                {types.map(({ type, label, note }) => (
                  <button
                    key={type}
                    type="button"
                    aria-pressed={draft.type === type}
                    className={classes(
                      'flex flex-col rounded-md border p-2 text-left',
                      draft.type === type ? 'border-accent bg-accent-soft' : 'border-line-strong hover:bg-hover',
                    )}
                    onClick={() => set({ type })}
                  >
                    <span className="block font-medium">{label}</span>
                    <span className="block text-[12px] text-soft">{note}</span>
                  </button>
                ))}
              </div>
              {draft.type === 'cron' ? (
                <SchedulePart expression={draft.expression} timezone={draft.timezone} set={set} />
              ) : null}
              {draft.type === 'webhook' ? (
                <SenderPart sourceId={draft.sourceId} secretRef={draft.secretRef} set={set} />
              ) : null}
              {draft.type === 'scheduled' ? (
                <TextField
                  label={strings.schedule.time}
                  type="datetime-local"
                  required
                  value={draft.at}
                  onChange={(event) => set({ at: event.target.value })}
                />
              ) : null}
            </div>
          </Panel>
          <Panel title={strings.create.action}>
            <div className="flex flex-col gap-4">
              <TextField
                label={uiStrings.name}
                required
                value={draft.name}
                onChange={(event) => set({ name: event.target.value })}
              />
              <TargetPart target={draft.target} onChoose={(target) => set({ target })} />
              <InputAndMapping draft={draft} set={set} />
            </div>
          </Panel>
        </Form>
      </div>
    </Page>
  )
}

export default NewTriggerPage
