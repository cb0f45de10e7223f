// The form of a function, generated from its schema, belowRun the run that it starts.
import type { App } from '@millrace/contract/apps'
import { Play } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import { type Fault, faultsOf } from '../forms/faults.ts'
import { firstValue, kindOf, type Schema, simplify } from '../forms/schema.ts'
import { ObjectFields, SchemaField } from '../forms/schema-form.tsx'
import { RunView } from '../runs/run-view.tsx'
import { useAct } from '../ui/act.ts'
import { SelectField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import type { Draft } from './draft.ts'
import { NeededSecrets, UnmetRequirements } from './requirements.tsx'
import { RunEstimate } from './run-estimate.tsx'
import { strings } from './strings.ts'

const words = strings.run

const emptySchema: Schema = { type: 'object', properties: {} }

const schemaOf = (app: App, name: string): Schema =>
  (app.version?.functions[name]?.input_schema ?? app.version?.input_schema ?? emptySchema) as Schema

type AppRunProps = {
  app: App
  chosen: string
  /** The input of an earlier run, used as initial values. */
  draft: Draft | undefined
  onChoose: (name: string) => void
  onInput: (input: Record<string, unknown>) => void
  /** Shown below the run. */
  belowRun: ReactNode
}

export const AppRun = ({ app, chosen, draft, onChoose, onInput, belowRun }: AppRunProps) => {
  const functions = Object.values(app.version?.functions ?? {})
  const schema = useMemo(() => schemaOf(app, chosen), [app, chosen])
  const start = useMemo(
    () => (draft?.function === chosen ? draft.input : (firstValue(schema, schema) ?? {})) as Record<string, unknown>,
    [draft, chosen, schema],
  )
  const [input, setInput] = useState(start)
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [taskId, setTaskId] = useState<string>()
  useEffect(() => setInput(start), [start])
  useEffect(() => onInput(input), [input, onInput])

  const secrets = app.version?.required_secrets ?? []
  const run = useAct({
    work: () =>
      call('tasks.run', {
        body: { app: `${app.namespace}/${app.name}`, function: chosen, input },
      }),
    touches: ['tasks'],
    after: (task) => setTaskId(task.id),
    quiet: true,
  })
  const submit = () => {
    const found = faultsOf(schema, input, schema)
    setFaults(found)
    if (found.length === 0) run.mutate()
  }
  const shown = simplify(schema, schema)
  const parts = {
    root: schema,
    path: '',
    value: input,
    faults,
    onChange: (next: unknown) => setInput((next ?? {}) as typeof input),
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title={words.input}>
        <Form
          act={run}
          submit={
            <>
              <Play aria-hidden /> {words.run}
            </>
          }
          onSubmit={submit}
          note={<RunEstimate app={app} chosen={chosen} input={input} />}
        >
          {functions.length > 1 ? (
            <SelectField
              label={words.function}
              value={chosen}
              onChange={(event) => onChoose(event.target.value)}
              help={functions.find(({ name }) => name === chosen)?.description}
            >
              {functions.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </SelectField>
          ) : null}
          {secrets.length > 0 ? <NeededSecrets secrets={secrets} /> : null}
          <UnmetRequirements apps={[app]} />
          {kindOf(shown) === 'object' ? (
            <ObjectFields key={chosen} schema={shown} {...parts} />
          ) : (
            <SchemaField key={chosen} schema={shown} name="input" required {...parts} />
          )}
        </Form>
      </Panel>
      <div className="flex min-w-0 flex-col gap-4">
        {taskId === undefined ? (
          <Panel title={words.run}>
            <Empty icon={Play} title={words.emptyTitle}>
              {words.emptyText}
            </Empty>
          </Panel>
        ) : (
          <RunView key={taskId} id={taskId} compact />
        )}
        {belowRun}
      </div>
    </div>
  )
}
