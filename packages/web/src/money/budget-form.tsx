// Setting a budget, and setting it otherwise.
import type { Budget, BudgetPeriod, BudgetSubject } from '@millrace/contract/budgets'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { dollarsOf, microcentsIn } from './amounts.ts'

type Enforcement = Budget['enforcement']

export const subjects: Record<BudgetSubject, string> = {
  workspace: 'The whole workspace',
  api_key: 'API key',
  agent: 'Agent',
  flow: 'Flow',
  trigger: 'Trigger',
}

type Choice = { id: string; label: string }

/** What of each kind there is to choose from. */
export const useChoices = (subject: BudgetSubject): Choice[] => {
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

const Amount = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <TextField
    label="At most, in dollars"
    required
    inputMode="decimal"
    placeholder="25.00"
    value={value}
    fault={value !== '' && microcentsIn(value) === null ? 'This is not an amount' : undefined}
    onChange={(event) => onChange(event.target.value)}
  />
)

const WhenSpent = ({ value, onChange }: { value: Enforcement; onChange: (value: Enforcement) => void }) => (
  <SelectField label="When it is spent" value={value} onChange={(event) => onChange(event.target.value as Enforcement)}>
    <option value="block">Nothing more is started</option>
    <option value="warn">Say so, and go on</option>
  </SelectField>
)

export const NewBudget = ({ onDone }: { onDone: () => void }) => {
  const [subject, setSubject] = useState<BudgetSubject>('workspace')
  const [subjectId, setSubjectId] = useState('')
  const [period, setPeriod] = useState<BudgetPeriod>('month')
  const [amount, setAmount] = useState('')
  const [enforcement, setEnforcement] = useState<Enforcement>('block')
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
        <Amount value={amount} onChange={setAmount} />
        <SelectField label="In a" value={period} onChange={(event) => setPeriod(event.target.value as BudgetPeriod)}>
          <option value="day">day, in UTC</option>
          <option value="month">month, in UTC</option>
        </SelectField>
      </div>
      <WhenSpent value={enforcement} onChange={setEnforcement} />
    </Form>
  )
}

/** Whose it is and for how long stays; another of those is another budget. */
export const ChangeBudget = ({ budget, onDone }: { budget: Budget; onDone: () => void }) => {
  const [amount, setAmount] = useState(dollarsOf(budget.limit))
  const [enforcement, setEnforcement] = useState(budget.enforcement)
  const limit = microcentsIn(amount)
  const save = useAct({
    work: () => call('budgets.update', { path: { id: budget.id }, body: { limit: limit ?? 0, enforcement } }),
    touches: ['budgets'],
    done: 'It counts from now on',
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit="Save" disabled={limit === null}>
      <Amount value={amount} onChange={setAmount} />
      <WhenSpent value={enforcement} onChange={setEnforcement} />
    </Form>
  )
}
