// What else makes an agent: the variables of its prompt, hooks on moments of its life, rules for its tools, and the shape of
// what it hands in.
import type { AgentConfig, ContextVariable, LifecycleHook } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { CodeEditor } from '../ui/code.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'
import { RowList } from '../ui/row-list.tsx'
import { HandlerPicker } from './pickers.tsx'
import { RuleRow } from './rule-row.tsx'

type Edit = { config: AgentConfig; set: (change: Partial<AgentConfig>) => void }

const Variable = ({ row, set }: { row: ContextVariable; set: (change: Partial<ContextVariable>) => void }) => (
  <>
    <TextField label="Variable" required value={row.name} onChange={(event) => set({ name: event.target.value })} />
    <TextField
      label="Without a value it is"
      value={row.default ?? ''}
      onChange={(event) => set({ default: event.target.value })}
    />
    <TextField
      label="What it says"
      value={row.description ?? ''}
      onChange={(event) => set({ description: event.target.value })}
    />
    <CheckField
      label="A chat cannot begin without it"
      checked={row.required ?? false}
      onChange={(event) => set({ required: event.target.checked })}
    />
  </>
)

const hookTypes: Readonly<Record<LifecycleHook['type'], string>> = {
  webhook: 'An address is told',
  task: 'An app or agent runs',
  gate: 'A person is asked',
}

const Handler = ({ row, set }: { row: LifecycleHook; set: (change: Partial<LifecycleHook>) => void }) =>
  row.type === 'task' ? (
    <HandlerPicker label="App or agent" value={row.handler ?? ''} onChoose={(handler) => set({ handler })} />
  ) : (
    <TextField
      label="Address"
      required
      type="url"
      placeholder="https://example.com/hook"
      value={row.handler ?? ''}
      onChange={(event) => set({ handler: event.target.value })}
    />
  )

const Hook = ({ row, set }: { row: LifecycleHook; set: (change: Partial<LifecycleHook>) => void }) => {
  const events = useQuery({ ...read('agents.hook_events'), staleTime: 300_000 })
  const moments = events.data ?? []
  const moment = moments.find(({ event }) => event === row.event)
  return (
    <>
      <SelectField
        label="Moment"
        value={row.event}
        help={moment?.description}
        onChange={(event) => set({ event: event.target.value })}
      >
        {moments.map(({ event }) => (
          <option key={event}>{event}</option>
        ))}
      </SelectField>
      <SelectField
        label="What happens"
        value={row.type}
        onChange={(event) => set({ type: event.target.value as LifecycleHook['type'], handler: '' })}
      >
        {Object.entries(hookTypes)
          .filter(([type]) => type !== 'gate' || (moment?.can_gate ?? true))
          .map(([type, words]) => (
            <option key={type} value={type}>
              {words}
            </option>
          ))}
      </SelectField>
      {row.type === 'gate' ? (
        <SelectField
          label="Without an answer in time"
          value={row.default_resolution ?? ''}
          onChange={(event) => set({ default_resolution: event.target.value as '' | 'allow' | 'deny' })}
        >
          <option value="">It goes on waiting</option>
          <option value="allow">It goes on</option>
          <option value="deny">It is turned down</option>
        </SelectField>
      ) : (
        <Handler row={row} set={set} />
      )}
      <TextField
        label="Seconds to wait"
        type="number"
        min={0}
        value={row.timeout ?? ''}
        onChange={(event) => set({ timeout: event.target.valueAsNumber || 0 })}
      />
      {row.type === 'gate' ? null : (
        <CheckField
          label="The agent does not wait for it"
          checked={row.async ?? false}
          onChange={(event) => set({ async: event.target.checked })}
        />
      )}
    </>
  )
}

const OutputSchema = ({ config, set }: Edit) => {
  const [text, setText] = useState(() =>
    (config.output_schema ?? null) === null ? '' : JSON.stringify(config.output_schema, null, 2),
  )
  const [fault, setFault] = useState(false)
  const change = (next: string) => {
    setText(next)
    try {
      set({ output_schema: next.trim() === '' ? null : (JSON.parse(next) as unknown) })
      setFault(false)
    } catch {
      setFault(true)
    }
  }
  return (
    <>
      <p className="mb-2 text-soft">A JSON Schema. With one, the agent ends by handing in what fits it.</p>
      <CodeEditor label="Schema of the output" value={text} onChange={change} placeholder='{"type": "object"}' />
      {fault ? <p className="text-[12px] text-bad">This is not JSON yet; the last readable form counts.</p> : null}
    </>
  )
}

export const BehaviourEditor = ({ config, set }: Edit) => (
  <>
    <Panel title="Context">
      <RowList
        rows={config.context ?? []}
        onChange={(context) => set({ context })}
        noun="variable"
        none="What a chat can be told when it begins; the prompt names it as {{context.name}}."
        fresh={{ name: '' }}
        row={(row, change) => <Variable row={row} set={change} />}
      />
    </Panel>
    <Panel title="Rules">
      <RowList
        rows={config.permissions?.rules ?? []}
        onChange={(rules) => set({ permissions: { ...config.permissions, rules } })}
        noun="rule"
        none="Each tool asks or does not ask as it says above."
        fresh={{ effect: 'ask', kind: 'Tool', selector: '*' }}
        row={(row, change) => <RuleRow row={row} set={change} />}
      />
    </Panel>
    <Panel title="Hooks">
      <RowList
        rows={config.hooks ?? []}
        onChange={(hooks) => set({ hooks })}
        noun="hook"
        none="Nobody is told of what it does, and nobody is asked beyond its tools."
        fresh={{ event: 'agent.complete', type: 'webhook', handler: '' }}
        row={(row, change) => <Hook row={row} set={change} />}
      />
    </Panel>
    <Panel title="Output">
      <OutputSchema config={config} set={set} />
    </Panel>
  </>
)
