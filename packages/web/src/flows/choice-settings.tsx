// What a gate lets through, and which element a selector takes.
import type { GateCondition, SelectorConfig } from '@millrace/contract/flows'
import { SelectField, TextField } from '../ui/field.tsx'
import { compares, meant, type Typed, type ValueKind, valueKinds } from './gate-value.ts'

const operators = ['equals', 'not_equals', 'contains', 'gt', 'lt', 'is_empty', 'is_not_empty']
const modes = ['first', 'last', 'index', 'random']

const ValueFields = ({ typed, onType }: { typed: Typed; onType: (typed: Typed) => void }) => (
  <>
    <SelectField
      label="Kind of value"
      value={typed.kind}
      onChange={(event) => onType({ ...typed, kind: event.target.value as ValueKind })}
    >
      {valueKinds.map((kind) => (
        <option key={kind}>{kind}</option>
      ))}
    </SelectField>
    {typed.kind === 'true or false' ? (
      <SelectField
        label="Value"
        value={String(typed.text === 'true')}
        onChange={(event) => onType({ ...typed, text: event.target.value })}
      >
        <option>true</option>
        <option>false</option>
      </SelectField>
    ) : (
      <TextField
        label="Value"
        value={typed.text}
        fault={meant(typed) ? undefined : `This is no ${typed.kind}`}
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
      label="Field"
      value={gate.field ?? ''}
      onChange={(event) => onChange({ ...gate, field: event.target.value })}
    />
    <SelectField
      label="Lets through when it"
      value={gate.operator ?? 'equals'}
      onChange={(event) => onChange({ ...gate, operator: event.target.value })}
    >
      {operators.map((operator) => (
        <option key={operator} value={operator}>
          {operator.replaceAll('_', ' ')}
        </option>
      ))}
    </SelectField>
    {compares(gate.operator) ? <ValueFields typed={typed} onType={onType} /> : null}
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
      label="Field"
      value={selector.field ?? ''}
      onChange={(event) => onChange({ ...selector, field: event.target.value })}
    />
    <SelectField
      label="Takes"
      value={selector.mode ?? 'first'}
      onChange={(event) => onChange({ ...selector, mode: event.target.value })}
    >
      {modes.map((mode) => (
        <option key={mode}>{mode}</option>
      ))}
    </SelectField>
    {selector.mode === 'index' ? (
      <TextField
        label="Index"
        type="number"
        step={1}
        help="0 is the first, -1 the last"
        // Left to the field: a minus that stands alone is no number yet.
        defaultValue={selector.index ?? 0}
        onChange={({ target }) => {
          if (Number.isInteger(target.valueAsNumber)) onChange({ ...selector, index: target.valueAsNumber })
        }}
      />
    ) : null}
  </>
)
