// Budgets: how much may be spent in a day or a month, by whom, and how much of it is gone.
import type { Budget, BudgetPeriod, BudgetSubject } from '@millrace/contract/budgets'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { microcentsIn, moneyText } from './amounts.ts'

const subjects: Record<BudgetSubject, string> = {
  workspace: 'The whole workspace',
  api_key: 'API key',
  agent: 'Agent',
  flow: 'Flow',
  trigger: 'Trigger',
}

type Choice = { id: string; label: string }

/** What of each kind there is to choose from. */
const useChoices = (subject: BudgetSubject): Choice[] => {
  const asked = { limit: 200 }
  const keys = useList('apikeys.list', asked, { enabled: subject === 'api_key' })
  const agents = useList('agents.list', asked, { enabled: subject === 'agent' })
  const flows = useList('flows.list', asked, { enabled: subject === 'flow' })
  const triggers = useList('triggers.list', asked, { enabled: subject === 'trigger' })
  switch (subject) {
    case 'api_key':
      return keys.items.map(({ id, name }) => ({ id, label: name }))
    case 'agent':
      return agents.items.map(({ id, title, name }) => ({ id, label: title || name }))
    case 'flow':
      return flows.items.map(({ id, title, name }) => ({ id, label: title || name }))
    case 'trigger':
      return triggers.items.map(({ id, name }) => ({ id, label: name }))
    default:
      return []
  }
}

const NewBudget = ({ onDone }: { onDone: () => void }) => {
  const [subject, setSubject] = useState<BudgetSubject>('workspace')
  const [subjectId, setSubjectId] = useState('')
  const [period, setPeriod] = useState<BudgetPeriod>('month')
  const [amount, setAmount] = useState('')
  const [enforcement, setEnforcement] = useState<'block' | 'warn'>('block')
  const choices = useChoices(subject)
  const limit = microcentsIn(amount)
  const create = useAct({
    work: () =>
      call('budgets.create', {
        body: {
          subject_type: subject,
          ...(subject === 'workspace' ? {} : { subject_id: subjectId }),
          period,
          limit: limit ?? 0,
          enforcement,
        },
      }),
    touches: ['budgets'],
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={create} submit="Set the budget" disabled={limit === null}>
      <SelectField
        label="For"
        value={subject}
        onChange={(event) => {
          setSubject(event.target.value as BudgetSubject)
          setSubjectId('')
        }}
      >
        {Object.entries(subjects).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {subject === 'workspace' ? null : (
        <SelectField label="Which" required value={subjectId} onChange={(event) => setSubjectId(event.target.value)}>
          <option value="">Choose one</option>
          {choices.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="At most, in dollars"
          required
          inputMode="decimal"
          placeholder="25.00"
          value={amount}
          fault={amount !== '' && limit === null ? 'This is not an amount' : undefined}
          onChange={(event) => setAmount(event.target.value)}
        />
        <SelectField label="In a" value={period} onChange={(event) => setPeriod(event.target.value as BudgetPeriod)}>
          <option value="day">day, in UTC</option>
          <option value="month">month, in UTC</option>
        </SelectField>
      </div>
      <SelectField
        label="When it is spent"
        value={enforcement}
        onChange={(event) => setEnforcement(event.target.value as 'block' | 'warn')}
      >
        <option value="block">Nothing more is started</option>
        <option value="warn">Say so, and go on</option>
      </SelectField>
    </Form>
  )
}

const Row = ({ budget, mayChange, remove }: { budget: Budget; mayChange: boolean; remove: () => Promise<unknown> }) => {
  const { subject_type, subject_id, period, limit, spent, held, enforcement, resets_at } = budget
  const share = limit === 0 ? 1 : Math.min(1, (spent + held) / limit)
  const name = `${subjects[subject_type]}${subject_type === 'workspace' ? '' : ` ${subject_id.slice(0, 8)}`}`
  return (
    <li className="flex flex-col gap-1 border-b px-3 py-2 last:border-0">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{name}</span>
        <Badge {...(enforcement === 'block' ? {} : { tone: 'warn' as const })}>
          {enforcement === 'block' ? 'stops' : 'warns'}
        </Badge>
        <span className="figures grow text-right text-soft">
          {moneyText(spent)} {held > 0 ? `and ${moneyText(held)} under way ` : ''}of {moneyText(limit)} a {period}
        </span>
        <span className="text-faint">
          anew <Ago time={resets_at} />
        </span>
        {mayChange ? (
          <ConfirmButton
            label={`Remove the budget of ${name}`}
            icon={<Trash2 aria-hidden />}
            title={`Remove the budget of ${moneyText(limit)} a ${period} for ${name.replace(/^The/, 'the')}?`}
            confirm="Remove"
            act={remove}
          >
            {name} may then spend whatever the balance allows.
          </ConfirmButton>
        ) : null}
      </div>
      <span aria-hidden className="h-1.5 overflow-hidden rounded bg-hover">
        <span
          className={classes('block h-full', share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-warn' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </span>
    </li>
  )
}

export const Budgets = ({ mayChange }: { mayChange: boolean }) => {
  const [creating, setCreating] = useState(false)
  const list = useList('budgets.list')
  const remove = useAct({
    work: (id: string) => call('budgets.delete', { path: { id } }),
    touches: ['budgets'],
  })
  return (
    <Panel
      title="Budgets"
      flush
      actions={mayChange ? <Button onClick={() => setCreating(true)}>New budget</Button> : null}
    >
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      {list.isLoading ? <SkeletonRows rows={2} /> : null}
      {!list.isLoading && !list.error && list.items.length === 0 ? (
        <p className="p-3 text-faint">None: work goes on until the balance is used up.</p>
      ) : null}
      <ul>
        {list.items.map((budget) => (
          <Row key={budget.id} budget={budget} mayChange={mayChange} remove={() => remove.mutateAsync(budget.id)} />
        ))}
      </ul>
      <Dialog open={creating} onClose={() => setCreating(false)} title="New budget">
        <NewBudget onDone={() => setCreating(false)} />
      </Dialog>
    </Panel>
  )
}
