// How a node without an app works: the value it holds, the expression it computes, the condition it lets through.
import type { Flow, FlowNode, UtilityConfig } from '@millrace/contract/flows'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Skeleton } from '../ui/page.tsx'
import { ExpressionPreview } from './expression-preview.tsx'
import { sampleInput } from './sample.ts'
import type { Act } from './use-flow.ts'

const gateOperators = ['equals', 'not_equals', 'contains', 'gt', 'lt', 'is_empty', 'is_not_empty']
const selectorModes = ['first', 'last', 'index', 'random']

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // What is no JSON is meant as text.
    return text
  }
}

/** The values of the newest run, once they are known; before the first run the fields are there without any. */
const Preview = ({ flow, node, expression }: { flow: Flow; node: FlowNode; expression: string }) => {
  const newest = useList('flow_runs.list', {
    limit: 1,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'flow_id', operator: 'eq', value: flow.id }],
  })
  const id = newest.items[0]?.id
  const run = useQuery({ ...read('flow_runs.get', { path: { id: id ?? '' } }), enabled: id !== undefined })
  if (newest.isLoading || (id !== undefined && run.isPending)) return <Skeleton className="h-24" />
  return <ExpressionPreview expression={expression} sample={sampleInput(flow, node.id, run.data)} />
}

export const UtilitySettings = ({ flow, node, act }: { flow: Flow; node: FlowNode; act: Act }) => {
  const held = (flow.node_data[node.id]?.utility ?? {}) as UtilityConfig
  const [draft, setDraft] = useState(held)
  const [constant, setConstant] = useState(held.constant === undefined ? '' : JSON.stringify(held.constant, null, 2))
  if (!['gate', 'selector', 'constant', 'utility'].includes(node.type)) return null
  const save = () => {
    const utility = node.type === 'constant' ? { ...draft, constant: parse(constant) } : draft
    void act({ type: 'node.update', payload: { node_id: node.id, patch: { utility } } })
  }
  const gate = (part: object) => setDraft({ ...draft, gate: { ...draft.gate, ...part } })
  const selector = (part: object) => setDraft({ ...draft, selector: { ...draft.selector, ...part } })
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      {node.type === 'constant' ? (
        <CodeEditor label="Value" value={constant} onChange={setConstant} placeholder="JSON, or plain text" />
      ) : null}
      {node.type === 'utility' ? (
        <>
          <p className="text-[12px] text-faint">
            A CEL expression over the connected fields, such as <code>input.a + input.b</code>
          </p>
          <CodeEditor
            label="Expression"
            language="text"
            value={draft.expression ?? ''}
            onChange={(expression) => setDraft({ ...draft, expression })}
            placeholder="input.value"
          />
          <Preview flow={flow} node={node} expression={draft.expression ?? ''} />
        </>
      ) : null}
      {node.type === 'gate' ? (
        <>
          <TextField
            label="Field"
            value={draft.gate?.field ?? ''}
            onChange={(event) => gate({ field: event.target.value })}
          />
          <SelectField
            label="Lets through when it"
            value={draft.gate?.operator ?? 'equals'}
            onChange={(event) => gate({ operator: event.target.value })}
          >
            {gateOperators.map((operator) => (
              <option key={operator} value={operator}>
                {operator.replaceAll('_', ' ')}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Value"
            value={String(draft.gate?.value ?? '')}
            onChange={(event) => gate({ operator: 'equals', ...draft.gate, value: event.target.value })}
          />
        </>
      ) : null}
      {node.type === 'selector' ? (
        <>
          <TextField
            label="Field"
            value={draft.selector?.field ?? ''}
            onChange={(event) => selector({ field: event.target.value })}
          />
          <SelectField
            label="Takes"
            value={draft.selector?.mode ?? 'first'}
            onChange={(event) => selector({ mode: event.target.value })}
          >
            {selectorModes.map((mode) => (
              <option key={mode}>{mode}</option>
            ))}
          </SelectField>
        </>
      ) : null}
      <Button className="self-start" onClick={save}>
        Save
      </Button>
    </div>
  )
}
