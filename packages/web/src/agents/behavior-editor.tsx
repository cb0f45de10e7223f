// The context variables, rules, hooks and output schema of an agent.
import type { AgentConfig, ContextVariable, LifecycleHook } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { JsonField } from '../ui/json-field.tsx'
import { Panel } from '../ui/page.tsx'
import { RowList } from '../ui/row-list.tsx'
import { uiStrings } from '../ui/strings.ts'
import { HandlerPicker } from './pickers.tsx'
import { RuleRow } from './rule-row.tsx'
import { strings } from './strings.ts'

const words = strings.behavior

type Edit = { config: AgentConfig; set: (change: Partial<AgentConfig>) => void }

const Variable = ({ row, set }: { row: ContextVariable; set: (change: Partial<ContextVariable>) => void }) => (
  <>
    <TextField
      label={words.variable}
      required
      value={row.name}
      onChange={(event) => set({ name: event.target.value })}
    />
    <TextField
      label={words.variableDefault}
      value={row.default ?? ''}
      onChange={(event) => set({ default: event.target.value })}
    />
    <TextField
      label={uiStrings.description}
      value={row.description ?? ''}
      onChange={(event) => set({ description: event.target.value })}
    />
    <CheckField
      label={words.variableRequired}
      checked={row.required ?? false}
      onChange={(event) => set({ required: event.target.checked })}
    />
  </>
)

const Handler = ({ row, set }: { row: LifecycleHook; set: (change: Partial<LifecycleHook>) => void }) =>
  row.type === 'task' ? (
    <HandlerPicker label={words.handler} value={row.handler ?? ''} onChoose={(handler) => set({ handler })} />
  ) : (
    <TextField
      label={words.url}
      required
      type="url"
      placeholder="https://example.com/hook"
      value={row.handler ?? ''}
      onChange={(event) => set({ handler: event.target.value })}
    />
  )

const Hook = ({ row, set }: { row: LifecycleHook; set: (change: Partial<LifecycleHook>) => void }) => {
  const events = useQuery({ ...read('agents.hook_events'), staleTime: 300_000 })
  const hookEvents = events.data ?? []
  const hookEvent = hookEvents.find(({ event }) => event === row.event)
  return (
    <>
      <SelectField
        label={words.event}
        value={row.event}
        help={hookEvent?.description}
        onChange={(event) => set({ event: event.target.value })}
      >
        {hookEvents.map(({ event }) => (
          <option key={event}>{event}</option>
        ))}
      </SelectField>
      <SelectField
        label={words.action}
        value={row.type}
        onChange={(event) => set({ type: event.target.value as LifecycleHook['type'], handler: '' })}
      >
        {Object.entries(words.actions)
          .filter(([type]) => type !== 'gate' || (hookEvent?.can_gate ?? true))
          .map(([type, label]) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
      </SelectField>
      {row.type === 'gate' ? (
        <SelectField
          label={words.onTimeout}
          value={row.default_resolution ?? ''}
          onChange={(event) => set({ default_resolution: event.target.value as '' | 'allow' | 'deny' })}
        >
          {Object.entries(words.timeouts).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      ) : (
        <Handler row={row} set={set} />
      )}
      <TextField
        label={words.timeout}
        type="number"
        min={0}
        value={row.timeout ?? ''}
        onChange={(event) => set({ timeout: event.target.valueAsNumber || 0 })}
      />
      {row.type === 'gate' ? null : (
        <CheckField
          label={words.async}
          checked={row.async ?? false}
          onChange={(event) => set({ async: event.target.checked })}
        />
      )}
    </>
  )
}

const OutputSchema = ({ config, set }: Edit) => (
  <>
    <p className="mb-2 text-soft">{words.outputText}</p>
    <JsonField
      label={words.outputLabel}
      kind="object"
      value={config.output_schema ?? undefined}
      onChange={(schema) => set({ output_schema: schema ?? null })}
      placeholder='{"type": "object"}'
    />
  </>
)

export const BehaviorEditor = ({ config, set }: Edit) => (
  <>
    <Panel title={words.context}>
      <RowList
        rows={config.context ?? []}
        onChange={(context) => set({ context })}
        noun="variable"
        none={words.noContext}
        fresh={{ name: '' }}
        row={(row, change) => <Variable row={row} set={change} />}
      />
    </Panel>
    <Panel title={words.rules}>
      <RowList
        rows={config.permissions?.rules ?? []}
        onChange={(rules) => set({ permissions: { ...config.permissions, rules } })}
        noun="rule"
        none={words.noRules}
        fresh={{ effect: 'ask', kind: 'Tool', selector: '*' }}
        row={(row, change) => <RuleRow row={row} set={change} />}
      />
    </Panel>
    <Panel title={words.hooks}>
      <RowList
        rows={config.hooks ?? []}
        onChange={(hooks) => set({ hooks })}
        noun="hook"
        none={words.noHooks}
        fresh={{ event: 'agent.complete', type: 'webhook', handler: '' }}
        row={(row, change) => <Hook row={row} set={change} />}
      />
    </Panel>
    <Panel title={words.output}>
      <OutputSchema config={config} set={set} />
    </Panel>
  </>
)
