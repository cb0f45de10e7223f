// How often a node runs: once, once for each element of an input, or until a condition holds.
import { type ForEach, loopErrorModes, type Repeat } from '@millrace/contract/flow-control'
import type { Flow, FlowNode, NodeData } from '@millrace/contract/flows'
import { CodeEditor } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { NumberField } from './number-field.tsx'
import { strings } from './strings.ts'
import { useDraft } from './use-draft.ts'

const words = strings.loop

type Update = (patch: NodeData) => void
type Mode = 'once' | 'for_each' | 'repeat'

const modeOf = ({ for_each, repeat }: NodeData): Mode => (for_each ? 'for_each' : repeat ? 'repeat' : 'once')

const ForEachFields = ({ loop, keys, update }: { loop: ForEach; keys: readonly string[]; update: Update }) => {
  const set = (part: { [K in keyof ForEach]?: ForEach[K] | undefined }) => {
    const kept = Object.entries({ ...loop, ...part }).filter(([, value]) => value !== undefined)
    update({ for_each: { input: loop.input, ...Object.fromEntries(kept) } })
  }
  return (
    <>
      <SelectField
        label={words.list}
        help={words.listHelp}
        value={loop.input}
        onChange={({ target }) => set({ input: target.value })}
      >
        {[...new Set([loop.input, ...keys])].map((key) => (
          <option key={key}>{key}</option>
        ))}
      </SelectField>
      <NumberField
        label={words.parallel}
        value={loop.parallel}
        otherwise="10"
        limits={{ min: 1, max: 50, whole: true }}
        onSet={(parallel) => set({ parallel })}
      />
      <SelectField
        label={words.itemFails}
        value={loop.on_error ?? 'fail'}
        onChange={({ target }) => set({ on_error: target.value as ForEach['on_error'] })}
      >
        {loopErrorModes.map((mode) => (
          <option key={mode} value={mode}>
            {words.errorModes[mode]}
          </option>
        ))}
      </SelectField>
    </>
  )
}

const RepeatFields = ({ repeat, update }: { repeat: Repeat; update: Update }) => {
  const set = (part: { [K in keyof Repeat]?: Repeat[K] | undefined }) => {
    const kept = Object.entries({ ...repeat, ...part }).filter(([, value]) => value !== undefined)
    update({ repeat: { max: repeat.max, ...Object.fromEntries(kept) } })
  }
  const { draft, setDraft, flush } = useDraft(repeat.until ?? '', (text) =>
    set({ until: text.trim() === '' ? undefined : text }),
  )
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: leaving the editor inside saves it */}
      <div onBlur={flush} className="flex flex-col gap-1">
        <CodeEditor label={words.until} language="cel" value={draft} onChange={setDraft} placeholder="turn == 3" />
        <p className="text-[12px] text-faint">
          {words.untilHelp} <code>output.status == &quot;done&quot;</code>
        </p>
      </div>
      <NumberField
        label={words.max}
        value={repeat.max}
        otherwise="10"
        limits={{ min: 1, max: 1_000, whole: true }}
        onSet={(max) => set({ max: max ?? 10 })}
      />
      <NumberField
        label={words.delay}
        value={repeat.delay_ms}
        otherwise="0"
        limits={{ min: 0, max: 86_400_000, whole: true }}
        onSet={(delay_ms) => set({ delay_ms })}
      />
      <TextField
        key={repeat.carry}
        label={words.carry}
        help={words.carryHelp}
        defaultValue={repeat.carry}
        onBlur={({ target }) => {
          const carry = target.value.trim() || undefined
          if (carry !== repeat.carry) set({ carry })
        }}
      />
    </>
  )
}

export const LoopSettings = ({
  flow,
  node,
  keys,
  onUpdate,
}: {
  flow: Flow
  node: FlowNode
  /** The inputs of the node. */
  keys: readonly string[]
  onUpdate: Update
}) => {
  const data = flow.node_data[node.id] ?? {}
  const choose = (mode: Mode) =>
    onUpdate({
      for_each: mode === 'for_each' ? { input: keys[0] ?? 'items' } : null,
      repeat: mode === 'repeat' ? { max: 10 } : null,
    })
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <SelectField label={words.mode} value={modeOf(data)} onChange={({ target }) => choose(target.value as Mode)}>
        {(Object.keys(words.modes) as Mode[]).map((mode) => (
          <option key={mode} value={mode}>
            {words.modes[mode]}
          </option>
        ))}
      </SelectField>
      {data.for_each ? <ForEachFields loop={data.for_each} keys={keys} update={onUpdate} /> : null}
      {data.repeat ? <RepeatFields repeat={data.repeat} update={onUpdate} /> : null}
    </div>
  )
}
