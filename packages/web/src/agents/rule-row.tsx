// One rule: what it lets happen, asks about or forbids, and of which tools.
import type { RuleInput } from '@millrace/contract/agents'
import { SelectField, TextField } from '../ui/field.tsx'

export const effects: Readonly<Record<RuleInput['effect'], string>> = {
  allow: 'May, without asking',
  ask: 'Asks first',
  deny: 'May not',
}

export const ruleKinds: Readonly<Record<NonNullable<RuleInput['kind']>, string>> = {
  Tool: 'Tools',
  RemoteExec: 'Commands on remotes',
  MCP: 'Tools of servers',
}

const whichHelp: Readonly<Record<NonNullable<RuleInput['kind']>, string>> = {
  Tool: 'Its name, or * for all of them',
  RemoteExec: 'The id of the remote, or * for all of them',
  MCP: 'The short name of the server, or * for all of them',
}

export const RuleRow = ({ row, set }: { row: RuleInput; set: (change: Partial<RuleInput>) => void }) => (
  <>
    <SelectField
      label="It"
      value={row.effect}
      onChange={(event) => set({ effect: event.target.value as RuleInput['effect'] })}
    >
      {Object.entries(effects).map(([effect, words]) => (
        <option key={effect} value={effect}>
          {words}
        </option>
      ))}
    </SelectField>
    <SelectField
      label="Use of"
      value={row.kind ?? 'Tool'}
      onChange={(event) => set({ kind: event.target.value as NonNullable<RuleInput['kind']> })}
    >
      {Object.entries(ruleKinds).map(([kind, words]) => (
        <option key={kind} value={kind}>
          {words}
        </option>
      ))}
    </SelectField>
    <TextField
      label="Which"
      required
      help={whichHelp[row.kind ?? 'Tool']}
      value={row.selector ?? ''}
      onChange={(event) => set({ selector: event.target.value })}
    />
    <TextField
      label="Only with"
      help="What it is given, word for word; a * at the end leaves the rest open"
      value={row.specifier ?? ''}
      onChange={(event) => set({ specifier: event.target.value })}
    />
  </>
)
