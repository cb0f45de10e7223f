// What a chosen node is given and how it works: a constant, a connection or an expression per field.
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { Trash2, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { resolve, type Schema } from '../forms/schema.ts'
import { SchemaField } from '../forms/schema-form.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { AttemptSettings } from './attempt-settings.tsx'
import { FieldsEditor } from './fields-editor.tsx'
import { inputsOf, isConnection, type Known, openPort, schemasOf } from './graph-model.ts'
import type { Act } from './use-flow.ts'
import { UtilitySettings } from './utility-settings.tsx'

type Part = { flow: Flow; node: FlowNode; known: Known; act: Act }

const Connected = ({
  from,
  onCut,
  name,
}: {
  from: { nodeId: string; key?: string }
  onCut: () => void
  name: string
}) => (
  <div className="flex items-center gap-2">
    <span className="min-w-0 grow truncate">
      <span className="font-medium">{name}</span>{' '}
      <span className="text-soft">
        from {from.nodeId}
        {from.key ? `.${from.key}` : ''}
      </span>
    </span>
    <Button look="quiet" label={`Cut ${name}`} onClick={onCut}>
      <Unplug aria-hidden />
    </Button>
  </div>
)

/** Typed here, sent when the field is left: not a change per letter. */
const ConstantField = ({
  schema,
  root,
  name,
  value,
  onSet,
}: {
  schema: Schema
  root: Schema
  name: string
  value: unknown
  onSet: (value: unknown) => void
}) => {
  const [draft, setDraft] = useState(value)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: leaving any input inside saves it
    <div
      onBlur={() => {
        if (JSON.stringify(draft) !== JSON.stringify(value)) onSet(draft)
      }}
    >
      <SchemaField
        schema={schema}
        root={root}
        name={name}
        path={name}
        value={draft}
        onChange={setDraft}
        required={false}
        faults={[]}
      />
    </div>
  )
}

const Inputs = ({ flow, node, known, act }: Part) => {
  const root = (schemasOf(flow, node, known)?.input ?? {}) as Schema
  const schema = resolve(root, root)
  const held = flow.input[node.id] ?? {}
  const set = (key: string, value: unknown) =>
    act(
      value === undefined
        ? { type: 'node.clear_input', payload: { node_id: node.id, input_key: key } }
        : { type: 'node.set_input', payload: { node_id: node.id, input_key: key, input: value } },
    )
  const ports = inputsOf(flow, node, known).filter(({ key }) => key !== openPort)
  if (ports.length === 0) return <p className="text-faint">Connect something to it on the canvas.</p>
  return (
    <div className="flex flex-col gap-4">
      {ports.map(({ key }) => {
        const input = held[key]
        return isConnection(input) ? (
          <Connected key={key} name={key} from={input.connection} onCut={() => void set(key, undefined)} />
        ) : (
          <ConstantField
            key={`${node.id} ${key}`}
            schema={schema.properties?.[key] ?? {}}
            root={root}
            name={key}
            value={input}
            onSet={(value) => void set(key, value)}
          />
        )
      })}
    </div>
  )
}

const AppSettings = ({ flow, node, known, act }: Part) => {
  const data = flow.node_data[node.id] ?? {}
  const app = known.apps.get(data.app_id ?? '')
  const functions = Object.keys(app?.version?.functions ?? {})
  const update = (patch: object) => void act({ type: 'node.update', payload: { node_id: node.id, patch } })
  return (
    <div className="flex flex-col gap-4 border-t pt-3">
      {functions.length > 1 ? (
        <SelectField
          label="Function"
          value={data.function ?? app?.version?.default_function ?? ''}
          onChange={(event) => update({ function: event.target.value })}
        >
          {functions.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      ) : null}
      <AttemptSettings key={node.id} data={data} onUpdate={update} />
    </div>
  )
}

const AgentSettings = ({ flow, node, act }: Omit<Part, 'known'>) => {
  const data = flow.node_data[node.id] ?? {}
  const { agent_id = '' } = data
  const update = (patch: object) => void act({ type: 'node.update', payload: { node_id: node.id, patch } })
  const agents = useList('agents.list', { limit: 100, sort: [{ field: 'name', dir: 'asc' }] })
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <SelectField label="Agent" value={agent_id} onChange={(event) => update({ agent_id: event.target.value })}>
        {agents.items.some(({ id }) => id === agent_id) ? null : (
          <option value={agent_id}>{agent_id.slice(0, 8)}</option>
        )}
        {agents.items.map(({ id, title, name }) => (
          <option key={id} value={id}>
            {title || name}
          </option>
        ))}
      </SelectField>
      <ButtonLink to="/agents/$id" params={{ id: agent_id }} className="self-start">
        Open the agent
      </ButtonLink>
      <AttemptSettings key={node.id} data={data} onUpdate={update} />
    </div>
  )
}

export const Inspector = ({ flow, node, known, act, onRemoved }: Part & { onRemoved: () => void }) => {
  const rename = async (next: string) => {
    if (
      next !== '' &&
      next !== node.id &&
      (await act({ type: 'node.rename', payload: { old_id: node.id, new_id: next } }))
    )
      onRemoved()
  }
  const remove = async () => {
    if (await act({ type: 'node.remove', payload: { id: node.id } })) onRemoved()
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-end gap-2">
        <TextField
          key={node.id}
          label="Name in the flow"
          defaultValue={node.id}
          fieldClass="grow"
          onBlur={(event) => void rename(event.target.value.trim())}
        />
        <Button look="danger" label={`Remove ${node.id}`} onClick={() => void remove()}>
          <Trash2 aria-hidden />
        </Button>
      </div>
      {node.type === 'inputNode' ? <FieldsEditor flow={flow} act={act} /> : null}
      {node.type === 'inputNode' || node.type === 'note' || node.type === 'constant' ? null : (
        <Inputs key={`inputs ${node.id}`} flow={flow} node={node} known={known} act={act} />
      )}
      {node.type === 'appNode' ? <AppSettings flow={flow} node={node} known={known} act={act} /> : null}
      {node.type === 'agentNode' ? <AgentSettings flow={flow} node={node} act={act} /> : null}
      <UtilitySettings key={`utility ${node.id}`} flow={flow} node={node} act={act} />
    </div>
  )
}
