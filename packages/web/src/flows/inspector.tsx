// Settings of the selected node: its name, its inputs and how it runs.
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { choicesOf, Picker, useMatches } from '../ui/picker.tsx'
import { AttemptSettings } from './attempt-settings.tsx'
import { ConditionSettings, SwitchSettings } from './branch-settings.tsx'
import { FieldsEditor } from './fields-editor.tsx'
import { afterPort, type GraphResources, inputsOf, isFixed, openPort } from './graph-model.ts'
import { InputFields } from './input-fields.tsx'
import { LoopSettings } from './loop-settings.tsx'
import { OrderFields } from './order-fields.tsx'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'
import { UtilitySettings } from './utility-settings.tsx'
import { WaitSettings } from './wait-settings.tsx'

const words = strings.node

type Part = { flow: Flow; node: FlowNode; known: GraphResources; act: Act }

const AppSettings = ({ flow, node, known, act }: Part) => {
  const data = flow.node_data[node.id] ?? {}
  const app = known.apps.get(data.app_id ?? '')
  const functions = Object.keys(app?.version?.functions ?? {})
  const update = (patch: object) => void act({ type: 'node.update', payload: { node_id: node.id, patch } })
  return (
    <div className="flex flex-col gap-4 border-t pt-3">
      {functions.length > 1 ? (
        <SelectField
          label={words.function}
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
  const [term, setTerm] = useState('')
  const agents = useMatches('agents.list', term, { sort: [{ field: 'name', dir: 'asc' }] })
  const { data: loaded } = useQuery({ ...read('agents.get', { path: { id: agent_id } }), enabled: agent_id !== '' })
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <Picker
        label={words.agent}
        chosen={
          agent_id === '' ? null : { value: agent_id, label: loaded?.title || loaded?.name || agent_id.slice(0, 8) }
        }
        groups={[{ choices: choicesOf(agents.items) }]}
        isLoading={agents.isLoading}
        onTerm={setTerm}
        onChoose={({ value }) => update({ agent_id: value })}
      />
      <ButtonLink to="/agents/$id" params={{ id: agent_id }} className="self-start">
        {words.openAgent}
      </ButtonLink>
      <AttemptSettings key={node.id} data={data} onUpdate={update} />
    </div>
  )
}

const FlowSettings = ({ flow, node, act }: Omit<Part, 'known'>) => {
  const data = flow.node_data[node.id] ?? {}
  const id = data.flow ?? ''
  const update = (patch: object) => void act({ type: 'node.update', payload: { node_id: node.id, patch } })
  const [term, setTerm] = useState('')
  const flows = useMatches('flows.list', term, { sort: [{ field: 'name', dir: 'asc' }] })
  const { data: loaded } = useQuery({ ...read('flows.get', { path: { id } }), enabled: id !== '' })
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <Picker
        label={words.flow}
        chosen={id === '' ? null : { value: id, label: loaded?.title || loaded?.name || id.slice(0, 8) }}
        groups={[{ choices: choicesOf(flows.items) }]}
        isLoading={flows.isLoading}
        onTerm={setTerm}
        onChoose={({ value }) => update({ flow: value })}
      />
      <ButtonLink to="/flows/$id" params={{ id }} className="self-start">
        {words.openFlow}
      </ButtonLink>
      <AttemptSettings key={node.id} data={data} onUpdate={update} />
    </div>
  )
}

const inputKeys = (flow: Flow, node: FlowNode, known: GraphResources): string[] =>
  inputsOf(flow, node, known).flatMap(({ key }) => (key === openPort || key === afterPort ? [] : [key]))

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
          label={words.name}
          defaultValue={node.id}
          fieldClass="grow"
          onBlur={(event) => void rename(event.target.value.trim())}
        />
        {isFixed(node) ? null : (
          <Button look="danger" label={words.remove(node.id)} onClick={() => void remove()}>
            <Trash2 aria-hidden />
          </Button>
        )}
      </div>
      {node.type === 'inputNode' ? <FieldsEditor flow={flow} act={act} /> : null}
      {node.type === 'inputNode' || node.type === 'note' || node.type === 'constant' ? null : (
        <InputFields key={`inputs ${node.id}`} flow={flow} node={node} known={known} act={act} />
      )}
      {node.type === 'appNode' ? <AppSettings flow={flow} node={node} known={known} act={act} /> : null}
      {node.type === 'agentNode' ? <AgentSettings flow={flow} node={node} act={act} /> : null}
      {node.type === 'flow' ? <FlowSettings flow={flow} node={node} act={act} /> : null}
      {node.type === 'appNode' || node.type === 'agentNode' || node.type === 'flow' ? (
        <LoopSettings
          key={`loop ${node.id}`}
          flow={flow}
          node={node}
          keys={inputKeys(flow, node, known)}
          onUpdate={(patch) => void act({ type: 'node.update', payload: { node_id: node.id, patch } })}
        />
      ) : null}
      <UtilitySettings key={`utility ${node.id}`} flow={flow} node={node} act={act} />
      {node.type === 'switch' ? <SwitchSettings key={`switch ${node.id}`} flow={flow} node={node} act={act} /> : null}
      {node.type === 'wait' ? <WaitSettings key={`wait ${node.id}`} flow={flow} node={node} act={act} /> : null}
      {node.type === 'inputNode' || node.type === 'note' ? null : (
        <>
          {node.type === 'outputNode' ? null : (
            <ConditionSettings key={`when ${node.id}`} flow={flow} node={node} act={act} />
          )}
          <OrderFields flow={flow} node={node} known={known} act={act} />
        </>
      )}
    </div>
  )
}
