// Rules that hold for every version of an agent: made here, or by whoever lets a tool run from now on. Those of a version are part
// of its configuration.
import type { Agent, Rule, RuleInput } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { effects, RuleRow, ruleKinds } from './rule-row.tsx'

const fresh: RuleInput = { effect: 'ask', kind: 'Tool', selector: '*' }

const NewRule = ({ agent, onDone }: { agent: Agent; onDone: () => void }) => {
  const [rule, setRule] = useState(fresh)
  const add = useAct({
    work: () => call('agents.add_rule', { path: { id: agent.id }, body: rule }),
    touches: ['agents'],
    done: 'The rule holds from the next tool on',
    after: onDone,
    quiet: true,
  })
  const set = (change: Partial<RuleInput>) => setRule({ ...rule, ...change })
  return (
    <Form act={add} submit="Add the rule">
      <div className="grid gap-4 sm:grid-cols-2">
        <RuleRow row={rule} set={set} />
      </div>
      <TextField
        label="What it is for"
        value={rule.label ?? ''}
        onChange={(event) => set({ label: event.target.value })}
      />
    </Form>
  )
}

const tones = { allow: 'ok', ask: 'warn', deny: 'bad' } as const

const wordsOf = ({ kind, selector, specifier }: Rule): string =>
  `${ruleKinds[kind]}: ${selector}${specifier ? `, with ${specifier}` : ''}`

const Row = ({ agent, rule, mayChange }: { agent: Agent; rule: Rule; mayChange: boolean }) => {
  const remove = useAct({
    work: () => call('agents.delete_rule', { path: { id: agent.id, ruleId: rule.id } }),
    touches: ['agents'],
    done: 'The rule is gone',
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-2 last:border-b-0">
      <Badge tone={tones[rule.effect]}>{effects[rule.effect]}</Badge>
      <span className="min-w-0 grow break-words">
        {rule.label || wordsOf(rule)}
        {rule.label ? <span className="block text-[12px] text-faint">{wordsOf(rule)}</span> : null}
      </span>
      <span className="text-faint">
        <Ago time={rule.created_at} />
      </span>
      {mayChange ? (
        <ConfirmButton
          label="Remove"
          title={`Remove the rule for ${rule.selector}?`}
          confirm="Remove"
          act={() => remove.mutateAsync()}
        >
          {rule.effect === 'allow'
            ? 'It asks again, where it asked before.'
            : 'What it held back is no longer held back.'}
        </ConfirmButton>
      ) : null}
    </li>
  )
}

export const AgentRules = ({ agent, mayChange }: { agent: Agent; mayChange: boolean }) => {
  const { data: rules, error } = useQuery(read('agents.rules', { path: { id: agent.id } }))
  const [adding, setAdding] = useState(false)
  const add = mayChange ? (
    <Button look="primary" onClick={() => setAdding(true)}>
      New rule
    </Button>
  ) : null
  if (error) return <ProblemNote error={error} />
  if (!rules) return <SkeletonRows rows={3} />
  return (
    <Panel title="Rules of every version" actions={rules.length > 0 ? add : null} flush>
      {rules.length === 0 ? (
        <Empty icon={ShieldCheck} title="No rules yet" action={add}>
          What forbids comes before what asks, and that before what allows. Rules of a chat come before these.
        </Empty>
      ) : (
        <ul>
          {rules.map((rule) => (
            <Row key={rule.id} agent={agent} rule={rule} mayChange={mayChange} />
          ))}
        </ul>
      )}
      <Dialog open={adding} onClose={() => setAdding(false)} title={`New rule of ${agent.title || agent.name}`} wide>
        <NewRule agent={agent} onDone={() => setAdding(false)} />
      </Dialog>
    </Panel>
  )
}
