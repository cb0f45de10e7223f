// Rules that apply to all versions of an agent: created here, or by "always allow" on an approval. Rules of one version are part
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
import { uiStrings } from '../ui/strings.ts'
import { Ago } from '../ui/time.tsx'
import { RuleRow } from './rule-row.tsx'
import { strings } from './strings.ts'

const words = strings.rules

const fresh: RuleInput = { effect: 'ask', kind: 'Tool', selector: '*' }

const NewRule = ({ agent, onDone }: { agent: Agent; onDone: () => void }) => {
  const [rule, setRule] = useState(fresh)
  const add = useAct({
    work: () => call('agents.add_rule', { path: { id: agent.id }, body: rule }),
    touches: ['agents'],
    done: words.added,
    after: onDone,
    quiet: true,
  })
  const set = (change: Partial<RuleInput>) => setRule({ ...rule, ...change })
  return (
    <Form act={add} submit={words.add}>
      <div className="grid gap-4 sm:grid-cols-2">
        <RuleRow row={rule} set={set} />
      </div>
      <TextField
        label={uiStrings.description}
        value={rule.label ?? ''}
        onChange={(event) => set({ label: event.target.value })}
      />
    </Form>
  )
}

const tones = { allow: 'ok', ask: 'warn', deny: 'bad' } as const

const summaryOf = ({ kind, selector, specifier }: Rule): string => words.summary(words.kinds[kind], selector, specifier)

const Row = ({ agent, rule, mayChange }: { agent: Agent; rule: Rule; mayChange: boolean }) => {
  const remove = useAct({
    work: () => call('agents.delete_rule', { path: { id: agent.id, ruleId: rule.id } }),
    touches: ['agents'],
    done: words.removed,
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-2 last:border-b-0">
      <Badge tone={tones[rule.effect]}>{words.effects[rule.effect]}</Badge>
      <span className="min-w-0 grow break-words">
        {rule.label || summaryOf(rule)}
        {rule.label ? <span className="block text-[12px] text-faint">{summaryOf(rule)}</span> : null}
      </span>
      <span className="text-faint">
        <Ago time={rule.created_at} />
      </span>
      {mayChange ? (
        <ConfirmButton
          label={uiStrings.remove}
          title={words.removeTitle(rule.selector)}
          confirm={uiStrings.remove}
          act={() => remove.mutateAsync()}
        >
          {rule.effect === 'allow' ? words.removeAllowText : words.removeText}
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
      {words.newRule}
    </Button>
  ) : null
  if (error) return <ProblemNote error={error} />
  if (!rules) return <SkeletonRows rows={3} />
  return (
    <Panel title={words.title} actions={rules.length > 0 ? add : null} flush>
      {rules.length === 0 ? (
        <Empty icon={ShieldCheck} title={words.emptyTitle} action={add}>
          {words.emptyText}
        </Empty>
      ) : (
        <ul>
          {rules.map((rule) => (
            <Row key={rule.id} agent={agent} rule={rule} mayChange={mayChange} />
          ))}
        </ul>
      )}
      <Dialog open={adding} onClose={() => setAdding(false)} title={words.newRuleOf(agent.title || agent.name)} wide>
        <NewRule agent={agent} onDone={() => setAdding(false)} />
      </Dialog>
    </Panel>
  )
}
