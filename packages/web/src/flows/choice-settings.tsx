// Settings of gates and selectors.
import type { GateCondition, SelectorConfig } from '@millrace/contract/flows'
import { SelectField, TextField } from '../ui/field.tsx'
import { parseGateValue, type Typed, takesValue, type ValueKind, valueKinds } from './gate-value.ts'
import { strings } from './strings.ts'

const words = strings.choice

const operators = ['equals', 'not_equals', 'contains', 'gt', 'lt', 'is_empty', 'is_not_empty']
const modes = ['first', 'last', 'index', 'random']

const ValueFields = ({ typed, onType }: { typed: Typed; onType: (typed: Typed) => void }) => (
  <>
    <SelectField
      label={words.valueType}
      value={typed.kind}
      onChange={(event) => onType({ ...typed, kind: event.target.value as ValueKind })}
    >
      {valueKinds.map((kind) => (
        <option key={kind}>{kind}</option>
      ))}
    </SelectField>
    {typed.kind === 'true or false' ? (
      <SelectField
        label={words.value}
        value={String(typed.text === 'true')}
        onChange={(event) => onType({ ...typed, text: event.target.value })}
      >
        <option>true</option>
        <option>false</option>
      </SelectField>
    ) : (
      <TextField
        label={words.value}
        value={typed.text}
        fault={parseGateValue(typed) ? undefined : words.notOfType(typed.kind)}
        onChange={(event) => onType({ ...typed, text: event.target.value })}
      />
    )}
  </>
)

export const GateSettings = ({
  gate,
  typed,
  onChange,
  onType,
}: {
  gate: GateCondition
  typed: Typed
  onChange: (gate: GateCondition) => void
  onType: (typed: Typed) => void
}) => (
  <>
    <TextField
      label={words.field}
      value={gate.field ?? ''}
      onChange={(event) => onChange({ ...gate, field: event.target.value })}
    />
    <SelectField
      label={words.operator}
      value={gate.operator ?? 'equals'}
      onChange={(event) => onChange({ ...gate, operator: event.target.value })}
    >
      {operators.map((operator) => (
        <option key={operator} value={operator}>
          {operator.replaceAll('_', ' ')}
        </option>
      ))}
    </SelectField>
    {takesValue(gate.operator) ? <ValueFields typed={typed} onType={onType} /> : null}
  </>
)

export const SelectorSettings = ({
  selector,
  onChange,
}: {
  selector: SelectorConfig
  onChange: (selector: SelectorConfig) => void
}) => (
  <>
    <TextField
      label={words.field}
      value={selector.field ?? ''}
      onChange={(event) => onChange({ ...selector, field: event.target.value })}
    />
    <SelectField
      label={words.mode}
      value={selector.mode ?? 'first'}
      onChange={(event) => onChange({ ...selector, mode: event.target.value })}
    >
      {modes.map((mode) => (
        <option key={mode}>{mode}</option>
      ))}
    </SelectField>
    {selector.mode === 'index' ? (
      <TextField
        label={words.index}
        type="number"
        step={1}
        help={words.indexHelp}
        // Uncontrolled: a single minus sign is not a number yet.
        defaultValue={selector.index ?? 0}
        onChange={({ target }) => {
          if (Number.isInteger(target.valueAsNumber)) onChange({ ...selector, index: target.valueAsNumber })
        }}
      />
    ) : null}
  </>
)
