// Which commands agents may run on a machine without asking, which they ask for, and which they never may.
import type { Rule } from '@millrace/contract/agents'
import type { Remote } from '@millrace/contract/remotes'
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'

const touches = ['remotes']

const effects: Readonly<Record<Rule['effect'], string>> = {
  allow: 'Run it without asking',
  ask: 'Ask first',
  deny: 'Never run it',
}

const tones = { allow: 'ok', ask: 'warn', deny: 'bad' } as const

const RuleForm = ({ remote, onDone }: { remote: Remote; onDone: () => void }) => {
  const [effect, setEffect] = useState<Rule['effect']>('allow')
  const [specifier, setSpecifier] = useState('')
  const add = useAct({
    work: () => call('remotes.add_rule', { path: { id: remote.id }, body: { effect, specifier } }),
    touches,
    done: 'The rule counts from the next command on',
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={add} submit="Add the rule">
      <TextField
        label="Command"
        required
        autoFocus
        placeholder="git status*"
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-[12px]"
        help="A whole command, or its beginning and a *"
        value={specifier}
        onChange={(event) => setSpecifier(event.target.value)}
      />
      <SelectField
        label="When an agent wants it"
        value={effect}
        onChange={(event) => setEffect(event.target.value as Rule['effect'])}
      >
        {Object.entries(effects).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
    </Form>
  )
}

const Row = ({ remote, rule }: { remote: Remote; rule: Rule }) => {
  const words = rule.label || rule.specifier || 'every command'
  const remove = useAct({
    work: () => call('remotes.delete_rule', { path: { id: remote.id, ruleId: rule.id } }),
    touches,
    done: 'The rule is gone',
    quiet: true,
  })
  return (
    <li className="flex items-center gap-2 border-b px-3 py-1.5 last:border-0">
      <Badge tone={tones[rule.effect]}>{rule.effect}</Badge>
      <code className="min-w-0 grow truncate font-mono text-[12px]" title={rule.specifier}>
        {words}
      </code>
      <ConfirmButton
        label={`Remove the rule for ${words}`}
        icon={<Trash2 aria-hidden />}
        title={`Remove the rule for ${words}?`}
        confirm="Remove"
        act={() => remove.mutateAsync()}
      >
        Agents on {remote.name} then follow what is left: their own rules, and asking.
      </ConfirmButton>
    </li>
  )
}

export const RemoteRules = ({ remote }: { remote: Remote }) => {
  const [adding, setAdding] = useState(false)
  const rules = useQuery(read('remotes.rules', { path: { id: remote.id } }))
  return (
    <Panel title="What agents may run here" flush actions={<Button onClick={() => setAdding(true)}>Add a rule</Button>}>
      {rules.error ? <ProblemNote error={rules.error} retry={() => void rules.refetch()} /> : null}
      {rules.isPending ? <SkeletonRows rows={2} /> : null}
      {rules.data?.length === 0 ? <p className="p-3 text-faint">No rules: agents ask before each command.</p> : null}
      <ul>
        {(rules.data ?? []).map((rule) => (
          <Row key={rule.id} remote={remote} rule={rule} />
        ))}
      </ul>
      <Dialog open={adding} onClose={() => setAdding(false)} title={`A rule for ${remote.name}`}>
        <RuleForm remote={remote} onDone={() => setAdding(false)} />
      </Dialog>
    </Panel>
  )
}
