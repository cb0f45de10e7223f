// Maps fields of a delivery to the input of the run, with a preview for a sample delivery.
import type { InputMapping, TriggerAction } from '@millrace/contract/triggers'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { read } from '../api/queries.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { JsonField } from '../ui/json-field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { ProblemNote } from '../ui/page.tsx'
import { RowList } from '../ui/row-list.tsx'
import { uiStrings } from '../ui/strings.ts'
import { useSettled } from '../ui/use-settled.ts'
import { isJsonText, type MapRow, mappingOf, type Source, sourceLabels, type Targets, targetsOf } from './mapping.ts'
import { strings } from './strings.ts'

export type TriggerTarget = { action: TriggerAction; id: string }

const useTargets = ({ action, id }: TriggerTarget): Targets => {
  const asks = (kind: TriggerAction) => ({ enabled: action === kind && id !== '' })
  const app = useQuery({ ...read('apps.get', { path: { id } }), ...asks('run_app') })
  const flow = useQuery({ ...read('flows.get', { path: { id } }), ...asks('run_flow') })
  const agent = useQuery({ ...read('agents.get', { path: { id } }), ...asks('run_agent') })
  return targetsOf(action, { app: app.data, flow: flow.data, agent: agent.data })
}

const valueHelp: Readonly<Record<Source, string>> = strings.mapping.help

const Row = ({ row, set, places }: { row: MapRow; set: (change: Partial<MapRow>) => void; places: Targets }) => {
  const listId = useId()
  const offered = { ...(places[row.place] ? {} : { [row.place]: { label: row.place, fields: [] } }), ...places }
  return (
    <>
      {Object.keys(offered).length > 1 ? (
        <SelectField
          label={strings.mapping.target}
          fieldClass="sm:col-span-2"
          value={row.place}
          onChange={(event) => set({ place: event.target.value })}
        >
          {Object.entries(offered).map(([place, { label }]) => (
            <option key={place} value={place}>
              {label}
            </option>
          ))}
        </SelectField>
      ) : null}
      <TextField
        label={strings.mapping.field}
        required
        list={listId}
        value={row.field}
        onChange={(event) => set({ field: event.target.value })}
      />
      <datalist id={listId}>
        {(places[row.place]?.fields ?? []).map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      <SelectField
        label={strings.mapping.source}
        value={row.how}
        onChange={(event) => set({ how: event.target.value as MapRow['how'] })}
      >
        {Object.entries(sourceLabels).map(([how, label]) => (
          <option key={how} value={how}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        label={uiStrings.value}
        fieldClass="sm:col-span-2"
        className="font-mono text-[12px]"
        required={row.how === 'json'}
        help={valueHelp[row.how]}
        fault={
          row.how === 'json' && row.value !== '' && !isJsonText(row.value) ? strings.mapping.invalidJson : undefined
        }
        value={row.value}
        onChange={(event) => set({ value: event.target.value })}
      />
    </>
  )
}

type TrialProps = { action: TriggerAction; mapping: InputMapping; input: Record<string, unknown>; payload: unknown }

const Trial = ({ action, mapping, input, payload }: TrialProps) => {
  const { data, error } = useQuery({
    ...read('triggers.try_mapping', { body: { action, input, input_mapping: mapping, payload } }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error) return <ProblemNote error={error} />
  if (!data) return <p className="text-faint">…</p>
  const isPlain = Object.keys(data.nodes).length === 0 && Object.keys(data.context).length === 0
  return <JsonView value={isPlain ? data.input : data} />
}

type PreviewProps = Omit<TrialProps, 'payload' | 'mapping'> & { rows: readonly MapRow[]; sample: unknown }

const Preview = ({ action, rows, input, sample }: PreviewProps) => {
  const [typed, setTyped] = useState(sample)
  const payload = useSettled(typed)
  const mapping = mappingOf(useSettled(rows))
  return (
    <section aria-label={strings.mapping.preview} className="flex flex-col gap-2 border-t pt-3">
      <p className="text-[12px] text-faint">{strings.mapping.sample}</p>
      <JsonField isSample label={strings.mapping.sampleLabel} value={typed} onChange={setTyped} />
      <p className="text-[12px] text-faint">{strings.mapping.result}</p>
      <output className="block min-h-8">
        {mapping === undefined ? null : (
          <Trial action={action} mapping={mapping} input={input} payload={payload ?? null} />
        )}
      </output>
    </section>
  )
}

type MappingPartProps = {
  target: TriggerTarget
  rows: readonly MapRow[]
  /** The fixed input of the trigger; mapped fields override it. */
  input: Record<string, unknown>
  /** The initial sample delivery. */
  sample: unknown
  isWebhook: boolean
  onChange: (rows: MapRow[]) => void
}

export const MappingPart = ({ target, rows, input, sample, isWebhook, onChange }: MappingPartProps) => {
  const places = useTargets(target)
  return (
    <div className="flex flex-col gap-3">
      <div>
        <p className="mb-1 font-medium">{strings.mapping.title}</p>
        <RowList
          rows={rows}
          onChange={onChange}
          noun={strings.mapping.noun}
          none={isWebhook ? strings.mapping.noneWebhook : strings.mapping.none}
          fresh={{ place: 'input', field: '', how: 'path', value: '' }}
          row={(row, set) => <Row row={row} set={set} places={places} />}
        />
      </div>
      {rows.length > 0 ? <Preview action={target.action} rows={rows} input={input} sample={sample} /> : null}
    </div>
  )
}
