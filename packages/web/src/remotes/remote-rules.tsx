// Rules for the commands that agents run on a machine: allow, ask or deny.
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
import { strings } from './strings.ts'

const words = strings.rules

const touches = ['remotes']

const effects: Readonly<Record<Rule['effect'], string>> = {
  allow: words.effects.allow,
  ask: words.effects.ask,
  deny: words.effects.deny,
}

const tones = { allow: 'ok', ask: 'warn', deny: 'bad' } as const

const RuleForm = ({ remote, onDone }: { remote: Remote; onDone: () => void }) => {
  const [effect, setEffect] = useState<Rule['effect']>('allow')
  const [specifier, setSpecifier] = useState('')
  const add = useAct({
    work: () => call('remotes.add_rule', { path: { id: remote.id }, body: { effect, specifier } }),
    touches,
    done: words.added,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={add} submit={words.submit}>
      <TextField
        label={words.command}
        required
        autoFocus
        placeholder={words.commandHint}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-[12px]"
        help={words.commandHelp}
        value={specifier}
        onChange={(event) => setSpecifier(event.target.value)}
      />
      <SelectField
        label={words.effect}
        value={effect}
        onChange={(event) => setEffect(event.target.value as Rule['effect'])}
      >
        {Object.entries(effects).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </Form>
  )
}

const Row = ({ remote, rule }: { remote: Remote; rule: Rule }) => {
  const command = rule.label || rule.specifier || words.everyCommand
  const remove = useAct({
    work: () => call('remotes.delete_rule', { path: { id: remote.id, ruleId: rule.id } }),
    touches,
    done: words.removed,
    quiet: true,
  })
  return (
    <li className="flex items-center gap-2 border-b px-3 py-1.5 last:border-0">
      <Badge tone={tones[rule.effect]}>{rule.effect}</Badge>
      <code className="min-w-0 grow truncate font-mono text-[12px]" title={rule.specifier}>
        {command}
      </code>
      <ConfirmButton
        label={words.removeOf(command)}
        icon={<Trash2 aria-hidden />}
        title={words.removeTitle(command)}
        confirm={words.remove}
        act={() => remove.mutateAsync()}
      >
        {words.removeText(remote.name)}
      </ConfirmButton>
    </li>
  )
}

export const RemoteRules = ({ remote }: { remote: Remote }) => {
  const [adding, setAdding] = useState(false)
  const rules = useQuery(read('remotes.rules', { path: { id: remote.id } }))
  return (
    <Panel title={words.title} flush actions={<Button onClick={() => setAdding(true)}>{words.submit}</Button>}>
      {rules.error ? <ProblemNote error={rules.error} retry={() => void rules.refetch()} /> : null}
      {rules.isPending ? <SkeletonRows rows={2} /> : null}
      {rules.data?.length === 0 ? <p className="p-3 text-faint">{words.none}</p> : null}
      <ul>
        {(rules.data ?? []).map((rule) => (
          <Row key={rule.id} remote={remote} rule={rule} />
        ))}
      </ul>
      <Dialog open={adding} onClose={() => setAdding(false)} title={words.addTitle(remote.name)}>
        <RuleForm remote={remote} onDone={() => setAdding(false)} />
      </Dialog>
    </Panel>
  )
}
