// Settings of built-in nodes: the constant, the expression, the gate and the selector.
import type { Flow, FlowNode, GateCondition, UtilityConfig } from '@millrace/contract/flows'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { GateSettings, SelectorSettings } from './choice-settings.tsx'
import { NodePreview } from './expression-preview.tsx'
import { compares, meant, type Typed, typedOf } from './gate-value.ts'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'

const words = strings.utility

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Text that is not JSON is stored as a string.
    return text
  }
}

/** The condition to save; undefined while its value is incomplete. */
const gateOf = ({ value: _before, ...rest }: GateCondition, typed: Typed): GateCondition | undefined => {
  const gate = { operator: 'equals', ...rest }
  if (!compares(gate.operator)) return gate
  const found = meant(typed)
  return found && { ...gate, ...found }
}

export const UtilitySettings = ({ flow, node, act }: { flow: Flow; node: FlowNode; act: Act }) => {
  const held = (flow.node_data[node.id]?.utility ?? {}) as UtilityConfig
  const [draft, setDraft] = useState(held)
  const [constant, setConstant] = useState(held.constant === undefined ? '' : JSON.stringify(held.constant, null, 2))
  const [typed, setTyped] = useState(() => typedOf(held.gate?.value))
  if (!['gate', 'selector', 'constant', 'utility'].includes(node.type)) return null
  const gate = gateOf(draft.gate ?? {}, typed)
  const save = () => {
    const own: Partial<Record<string, UtilityConfig>> = { constant: { constant: parse(constant) }, gate: { gate } }
    const utility = { ...draft, ...own[node.type] }
    void act({ type: 'node.update', payload: { node_id: node.id, patch: { utility } } })
  }
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      {node.type === 'constant' ? (
        <CodeEditor label={words.value} value={constant} onChange={setConstant} placeholder={words.valueHint} />
      ) : null}
      {node.type === 'utility' ? (
        <>
          <p className="text-[12px] text-faint">
            {words.expressionHelp} <code>input.a + input.b</code>
          </p>
          <CodeEditor
            label={words.expression}
            language="cel"
            value={draft.expression ?? ''}
            onChange={(expression) => setDraft({ ...draft, expression })}
            placeholder="input.value"
          />
          <NodePreview flow={flow} node={node} expression={draft.expression ?? ''} />
        </>
      ) : null}
      {node.type === 'gate' ? (
        <GateSettings
          gate={draft.gate ?? {}}
          typed={typed}
          onChange={(gate) => setDraft({ ...draft, gate })}
          onType={setTyped}
        />
      ) : null}
      {node.type === 'selector' ? (
        <SelectorSettings selector={draft.selector ?? {}} onChange={(selector) => setDraft({ ...draft, selector })} />
      ) : null}
      <Button className="self-start" disabled={node.type === 'gate' && gate === undefined} onClick={save}>
        {words.save}
      </Button>
    </div>
  )
}
