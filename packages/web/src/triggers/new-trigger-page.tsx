// A trigger in three steps on one page: what fires it, what it starts, with which input.
import type { TriggerAction, TriggerType } from '@millrace/contract/triggers'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { TextField } from '../ui/field.tsx'
import { Page, Panel, ProblemNote } from '../ui/page.tsx'
import { ClockPart, zones } from './clock-part.tsx'
import { InputPart, inputIn, isInputText } from './input-part.tsx'
import { type MapRow, mappingOf } from './mapping.ts'
import { MappingPart, type Target } from './mapping-part.tsx'
import { SenderPart } from './sender-part.tsx'
import { TargetPart } from './target-part.tsx'

const kinds: readonly { type: TriggerType; label: string; note: string }[] = [
  { type: 'webhook', label: 'Webhook', note: 'Another service sends something here' },
  { type: 'cron', label: 'Clock', note: 'Again and again, by a cron line' },
  { type: 'scheduled', label: 'Once', note: 'At one moment' },
  { type: 'manual', label: 'By hand', note: 'By a button or a call' },
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
  input: string
  rows: MapRow[]
}

/** What it starts, by its kind, such as `flow`, and its id. */
const targetOf = ({ target }: Draft): Target => {
  const [kind, id = ''] = target.split(' ')
  return { action: `run_${kind}` as TriggerAction, id }
}

const isReady = ({ input, rows }: Draft): boolean => isInputText(input) && mappingOf(rows) !== undefined

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
    ...(draft.input.trim() === '' ? {} : { input: inputIn(draft.input) }),
    ...(draft.rows.length === 0 ? {} : { input_mapping: mappingOf(draft.rows) ?? {} }),
  }
}

type Part = { draft: Draft; set: (part: Partial<Draft>) => void }

/** What the moments of a trigger bring along; what a webhook brings is anybody's guess. */
const sampleOf = (type: TriggerType): unknown =>
  type === 'cron' || type === 'scheduled'
    ? { scheduled_at: '2030-01-01T09:00:00Z', trigger_id: '…' }
    : { text: 'hello' }

const HandoverPart = ({ draft, set }: Part) => {
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
          input={isInputText(draft.input) ? inputIn(draft.input) : {}}
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
    input: '',
    rows: [],
  })
  const set = (part: Partial<Draft>) => setDraft((held) => ({ ...held, ...part }))
  const create = useAct({
    work: () => call('triggers.create', { body: bodyOf(draft) }),
    touches: ['triggers'],
    done: 'The trigger is on',
    after: ({ id }) => navigate({ to: '/triggers/$id', params: { id } }),
    quiet: true,
  })
  return (
    <Page
      title="New trigger"
      trail={
        <Link to="/triggers" className="hover:underline">
          Triggers
        </Link>
      }
    >
      <form
        className="flex max-w-3xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady(draft)) create.mutate()
        }}
      >
        <Panel title="What fires it">
          <div className="flex flex-col gap-4">
            <div className="grid gap-2 sm:grid-cols-4">
              {kinds.map(({ type, label, note }) => (
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
              <ClockPart expression={draft.expression} timezone={draft.timezone} set={set} />
            ) : null}
            {draft.type === 'webhook' ? (
              <SenderPart sourceId={draft.sourceId} secretRef={draft.secretRef} set={set} />
            ) : null}
            {draft.type === 'scheduled' ? (
              <TextField
                label="Moment"
                type="datetime-local"
                required
                value={draft.at}
                onChange={(event) => set({ at: event.target.value })}
              />
            ) : null}
          </div>
        </Panel>
        <Panel title="What it starts">
          <div className="flex flex-col gap-4">
            <TextField
              label="Name"
              required
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
            />
            <TargetPart target={draft.target} onChoose={(target) => set({ target })} />
            <HandoverPart draft={draft} set={set} />
          </div>
        </Panel>
        {create.error ? <ProblemNote error={create.error} /> : null}
        <Button type="submit" look="primary" busy={create.isPending} className="self-start">
          Create the trigger
        </Button>
      </form>
    </Page>
  )
}

export default NewTriggerPage
