// Creates or updates a budget.
import type { Budget, BudgetPeriod, BudgetSubject } from '@millrace/contract/budgets'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { dollarsOf, microcentsIn } from './amounts.ts'
import { strings } from './strings.ts'

const words = strings.budget

type Enforcement = Budget['enforcement']

export const subjects: Record<BudgetSubject, string> = {
  workspace: words.subjects.workspace,
  api_key: words.subjects.api_key,
  agent: words.subjects.agent,
  flow: words.subjects.flow,
  trigger: words.subjects.trigger,
}

type Choice = { id: string; label: string }

/** The resources of each kind that can have a budget. */
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
    label={words.limit}
    required
    inputMode="decimal"
    placeholder={words.limitHint}
    value={value}
    fault={value !== '' && microcentsIn(value) === null ? words.notAnAmount : undefined}
    onChange={(event) => onChange(event.target.value)}
  />
)

const WhenSpent = ({ value, onChange }: { value: Enforcement; onChange: (value: Enforcement) => void }) => (
  <SelectField
    label={words.enforcement}
    value={value}
    onChange={(event) => onChange(event.target.value as Enforcement)}
  >
    <option value="block">{words.block}</option>
    <option value="warn">{words.warn}</option>
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
    <Form act={create} submit={words.create} disabled={limit === null}>
      <SelectField
        label={words.subject}
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
        <SelectField
          label={words.resource}
          required
          value={subjectId}
          onChange={(event) => setSubjectId(event.target.value)}
        >
          <option value="">{words.choose}</option>
          {choices.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Amount value={amount} onChange={setAmount} />
        <SelectField
          label={words.period}
          value={period}
          onChange={(event) => setPeriod(event.target.value as BudgetPeriod)}
        >
          <option value="day">{words.day}</option>
          <option value="month">{words.month}</option>
        </SelectField>
      </div>
      <WhenSpent value={enforcement} onChange={setEnforcement} />
    </Form>
  )
}

/** The resource and the period cannot change; another pair is another budget. */
export const ChangeBudget = ({ budget, onDone }: { budget: Budget; onDone: () => void }) => {
  const [amount, setAmount] = useState(dollarsOf(budget.limit))
  const [enforcement, setEnforcement] = useState(budget.enforcement)
  const limit = microcentsIn(amount)
  const save = useAct({
    work: () => call('budgets.update', { path: { id: budget.id }, body: { limit: limit ?? 0, enforcement } }),
    touches: ['budgets'],
    done: words.saved,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={words.save} disabled={limit === null}>
      <Amount value={amount} onChange={setAmount} />
      <WhenSpent value={enforcement} onChange={setEnforcement} />
    </Form>
  )
}
