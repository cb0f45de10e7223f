// The fields of one rule: its effect and the tools that it applies to.
import type { RuleInput } from '@millrace/contract/agents'
import { SelectField, TextField } from '../ui/field.tsx'
import { strings } from './strings.ts'

const words = strings.rules

export const RuleRow = ({ row, set }: { row: RuleInput; set: (change: Partial<RuleInput>) => void }) => (
  <>
    <SelectField
      label={words.effect}
      value={row.effect}
      onChange={(event) => set({ effect: event.target.value as RuleInput['effect'] })}
    >
      {Object.entries(words.effects).map(([effect, label]) => (
        <option key={effect} value={effect}>
          {label}
        </option>
      ))}
    </SelectField>
    <SelectField
      label={words.kind}
      value={row.kind ?? 'Tool'}
      onChange={(event) => set({ kind: event.target.value as NonNullable<RuleInput['kind']> })}
    >
      {Object.entries(words.kinds).map(([kind, label]) => (
        <option key={kind} value={kind}>
          {label}
        </option>
      ))}
    </SelectField>
    <TextField
      label={words.selector}
      required
      help={words.selectorHelp[row.kind ?? 'Tool']}
      value={row.selector ?? ''}
      onChange={(event) => set({ selector: event.target.value })}
    />
    <TextField
      label={words.specifier}
      help={words.specifierHelp}
      value={row.specifier ?? ''}
      onChange={(event) => set({ specifier: event.target.value })}
    />
  </>
)
