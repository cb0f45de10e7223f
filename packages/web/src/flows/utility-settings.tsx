// Settings of built-in nodes: the constant, the expression, the gate and the selector.
import type { Flow, FlowNode, GateCondition, UtilityConfig } from '@millrace/contract/flows'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { GateSettings, SelectorSettings } from './choice-settings.tsx'
import { NodePreview } from './expression-preview.tsx'
import { parseGateValue, type Typed, takesValue, typedOf } from './gate-value.ts'
import { strings } from './strings.ts'
import { useDraft } from './use-draft.ts'
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
  if (!takesValue(gate.operator)) return gate
  const found = parseGateValue(typed)
  return found && { ...gate, ...found }
}

type Edited = { config: UtilityConfig; constant: string; typed: Typed }

const editedOf = (config: UtilityConfig): Edited => ({
  config,
  constant: config.constant === undefined ? '' : JSON.stringify(config.constant, null, 2),
  typed: typedOf(config.gate?.value),
})

/** The configuration to save; undefined while the value of a gate is incomplete. */
const configIn = (type: FlowNode['type'], { config, constant, typed }: Edited): UtilityConfig | undefined => {
  if (type === 'constant') return { ...config, constant: parse(constant) }
  if (type !== 'gate') return config
  const gate = gateOf(config.gate ?? {}, typed)
  return gate && { ...config, gate }
}

export const UtilitySettings = ({ flow, node, act }: { flow: Flow; node: FlowNode; act: Act }) => {
  const stored = (flow.node_data[node.id]?.utility ?? {}) as UtilityConfig
  const { draft, setDraft, isChanged, save } = useDraft(editedOf(stored), (edited) => {
    const utility = configIn(node.type, edited)
    if (utility) void act({ type: 'node.update', payload: { node_id: node.id, patch: { utility } } })
  })
  if (!['gate', 'selector', 'constant', 'utility'].includes(node.type)) return null
  const { config, constant, typed } = draft
  const change = (part: Partial<Edited>) => setDraft({ ...draft, ...part })
  const canSave = isChanged && configIn(node.type, draft) !== undefined
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      {node.type === 'constant' ? (
        <CodeEditor
          label={words.value}
          value={constant}
          onChange={(text) => change({ constant: text })}
          placeholder={words.valueHint}
        />
      ) : null}
      {node.type === 'utility' ? (
        <>
          <p className="text-[12px] text-faint">
            {words.expressionHelp} <code>input.a + input.b</code>
          </p>
          <CodeEditor
            label={words.expression}
            language="cel"
            value={config.expression ?? ''}
            onChange={(expression) => change({ config: { ...config, expression } })}
            placeholder="input.value"
          />
          <NodePreview flow={flow} node={node} expression={config.expression ?? ''} />
        </>
      ) : null}
      {node.type === 'gate' ? (
        <GateSettings
          gate={config.gate ?? {}}
          typed={typed}
          onChange={(gate) => change({ config: { ...config, gate } })}
          onType={(next) => change({ typed: next })}
        />
      ) : null}
      {node.type === 'selector' ? (
        <SelectorSettings
          selector={config.selector ?? {}}
          onChange={(selector) => change({ config: { ...config, selector } })}
        />
      ) : null}
      <Button className="self-start" disabled={!canSave} onClick={save}>
        {words.save}
      </Button>
    </div>
  )
}
