// What the run is given, built from what is sent: a row for each field, and what they make of a delivery as they are written.
import type { InputMapping, TriggerAction } from '@millrace/contract/triggers'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { read } from '../api/queries.ts'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { ProblemNote } from '../ui/page.tsx'
import { RowList } from '../ui/row-list.tsx'
import { useSettled } from '../ui/use-settled.ts'
import { type How, hows, isJsonText, type MapRow, mappingOf, type Places, placesOf } from './mapping.ts'

export type Target = { action: TriggerAction; id: string }

const usePlaces = ({ action, id }: Target): Places => {
  const asks = (kind: TriggerAction) => ({ enabled: action === kind && id !== '' })
  const app = useQuery({ ...read('apps.get', { path: { id } }), ...asks('run_app') })
  const flow = useQuery({ ...read('flows.get', { path: { id } }), ...asks('run_flow') })
  const agent = useQuery({ ...read('agents.get', { path: { id } }), ...asks('run_agent') })
  return placesOf(action, { app: app.data, flow: flow.data, agent: agent.data })
}

const valueHelp: Readonly<Record<How, string>> = {
  path: 'Its path, such as issue.labels.0.name; empty means all of it',
  text: 'Paths in double braces, such as {{issue.title}}, are filled in',
  json: 'Such as 7, true or ["a", "b"]',
}

const Row = ({ row, set, places }: { row: MapRow; set: (change: Partial<MapRow>) => void; places: Places }) => {
  const listId = useId()
  const offered = { ...(places[row.place] ? {} : { [row.place]: { label: row.place, fields: [] } }), ...places }
  return (
    <>
      {Object.keys(offered).length > 1 ? (
        <SelectField
          label="Goes into"
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
        label="Field to fill"
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
        label="Filled with"
        value={row.how}
        onChange={(event) => set({ how: event.target.value as MapRow['how'] })}
      >
        {Object.entries(hows).map(([how, words]) => (
          <option key={how} value={how}>
            {words}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Which"
        fieldClass="sm:col-span-2"
        className="font-mono text-[12px]"
        required={row.how === 'json'}
        help={valueHelp[row.how]}
        fault={row.how === 'json' && row.value !== '' && !isJsonText(row.value) ? 'This is not JSON yet' : undefined}
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
  const [text, setText] = useState(() => JSON.stringify(sample, null, 2))
  const payload = useSettled(text)
  const mapping = mappingOf(useSettled(rows))
  return (
    <section aria-label="What it makes" className="flex flex-col gap-2 border-t pt-3">
      <p className="text-[12px] text-faint">Tried on this delivery</p>
      <CodeEditor label="Delivery to try it on" value={text} onChange={setText} />
      <p className="text-[12px] text-faint">the run is given</p>
      <output className="block min-h-8">
        {isJsonText(payload) ? null : <p className="text-bad">The delivery must be JSON</p>}
        {mapping !== undefined && isJsonText(payload) ? (
          <Trial action={action} mapping={mapping} input={input} payload={JSON.parse(payload)} />
        ) : null}
      </output>
    </section>
  )
}

type MappingPartProps = {
  target: Target
  rows: readonly MapRow[]
  /** The trigger's own, which the fields are laid over. */
  input: Record<string, unknown>
  /** A delivery to begin with. */
  sample: unknown
  isWebhook: boolean
  onChange: (rows: MapRow[]) => void
}

export const MappingPart = ({ target, rows, input, sample, isWebhook, onChange }: MappingPartProps) => {
  const places = usePlaces(target)
  return (
    <div className="flex flex-col gap-3">
      <div>
        <p className="mb-1 font-medium">Fields from what is sent</p>
        <RowList
          rows={rows}
          onChange={onChange}
          noun="field"
          none={isWebhook ? 'What is sent is handed over as it is.' : 'The run is given the input as it stands above.'}
          fresh={{ place: 'input', field: '', how: 'path', value: '' }}
          row={(row, set) => <Row row={row} set={set} places={places} />}
        />
      </div>
      {rows.length > 0 ? <Preview action={target.action} rows={rows} input={input} sample={sample} /> : null}
    </div>
  )
}
