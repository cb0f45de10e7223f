// Settings that choose which nodes run: the cases of a switch, the condition of a node, and the output `error`.
import type { SwitchConfig } from '@millrace/contract/flow-control'
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { Plus, X } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { CheckField, TextField } from '../ui/field.tsx'
import { strings } from './strings.ts'
import { useDraft } from './use-draft.ts'
import type { Act } from './use-flow.ts'

const words = strings.branches

type Part = { flow: Flow; node: FlowNode; act: Act }
type Case = SwitchConfig['cases'][number]

const CaseFields = ({
  number,
  value,
  onChange,
  onRemove,
}: {
  number: number
  value: Case
  onChange: (value: Case) => void
  onRemove: () => void
}) => (
  <li className="flex flex-col gap-1">
    <div className="flex items-end gap-2">
      <TextField
        label={words.caseName(number)}
        value={value.name}
        fieldClass="grow"
        onChange={({ target }) => onChange({ ...value, name: target.value })}
      />
      <Button look="quiet" label={words.removeCase(value.name)} onClick={onRemove}>
        <X aria-hidden />
      </Button>
    </div>
    <CodeEditor
      label={words.caseWhen(number)}
      language="cel"
      value={value.when}
      onChange={(when) => onChange({ ...value, when })}
      placeholder="input.value > 10"
    />
  </li>
)

const isComplete = (cases: readonly Case[]): boolean =>
  cases.every(({ name, when }) => name.trim() !== '' && when.trim() !== '')

export const SwitchSettings = ({ flow, node, act }: Part) => {
  const { draft, setDraft, isChanged, save } = useDraft<Case[]>(
    flow.node_data[node.id]?.switch?.cases ?? [],
    (cases) => {
      void act({ type: 'node.update', payload: { node_id: node.id, patch: { switch: { cases } } } })
    },
  )
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <h2 className="font-medium">{words.cases}</h2>
      <p className="text-[12px] text-faint">
        {words.caseHelp} <code>input.n &gt; 10</code>
      </p>
      <ul className="flex flex-col gap-3">
        {draft.map((each, index) => (
          <CaseFields
            key={`case ${index + 1}`}
            number={index + 1}
            value={each}
            onChange={(next) => setDraft(draft.with(index, next))}
            onRemove={() => setDraft(draft.toSpliced(index, 1))}
          />
        ))}
      </ul>
      <Button
        look="quiet"
        className="self-start"
        onClick={() => setDraft([...draft, { name: `case_${draft.length + 1}`, when: '' }])}
      >
        <Plus aria-hidden /> {words.addCase}
      </Button>
      <Button className="self-start" disabled={!isChanged || !isComplete(draft)} onClick={save}>
        {words.save}
      </Button>
    </div>
  )
}

/** The condition is saved when the editor loses the focus. */
export const ConditionSettings = ({ flow, node, act }: Part) => {
  const data = flow.node_data[node.id] ?? {}
  const update = (patch: object) => void act({ type: 'node.update', payload: { node_id: node.id, patch } })
  const { draft, setDraft, flush } = useDraft(data.when ?? '', (text) =>
    update({ when: text.trim() === '' ? null : text }),
  )
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: leaving the editor inside saves it */}
      <div onBlur={flush} className="flex flex-col gap-1">
        <CodeEditor label={words.when} language="cel" value={draft} onChange={setDraft} placeholder="true" />
        <p className="text-[12px] text-faint">
          {words.whenHelp} <code>size(input.text) &gt; 0</code>
        </p>
      </div>
      <CheckField
        label={words.onError}
        help={words.onErrorHelp}
        checked={data.on_error === 'branch'}
        onChange={({ target }) => update({ on_error: target.checked ? 'branch' : 'fail' })}
      />
    </div>
  )
}
