// The filters of a webhook: which deliveries start a run, tested on an earlier delivery before they are saved.
import type { EventFilter, EventFilterOperator, FiltersTried, Trigger } from '@millrace/contract/triggers'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { dateTimeText } from '../ui/time-text.ts'
import { outcomes } from './labels.ts'
import { strings } from './strings.ts'

const operatorLabels: Readonly<Record<EventFilterOperator, string>> = strings.filters.operators

const operators = Object.keys(operatorLabels) as EventFilterOperator[]

type Rule = EventFilter & { key: number }

let nextKey = 1
const ruleOf = (filter: EventFilter): Rule => ({ ...filter, key: nextKey++ })
/** With a fixed order of fields, so that saved and edited filters can be compared as text. */
const filterOf = ({ field, operator, value }: EventFilter): EventFilter =>
  operator === 'exists' ? { field, operator } : { field, operator, value: value ?? '' }

const RuleRow = ({
  rule,
  set,
  onRemove,
}: {
  rule: Rule
  set: (part: Partial<EventFilter>) => void
  onRemove: () => void
}) => (
  <li className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 sm:grid-cols-[2fr_1fr_2fr_auto]">
    <TextField
      label={strings.filters.field}
      required
      placeholder="issue.labels.0.name"
      value={rule.field}
      fieldClass="max-sm:col-span-2"
      onChange={(event) => set({ field: event.target.value })}
    />
    <SelectField
      label={strings.filters.operator}
      value={rule.operator}
      fieldClass="max-sm:col-span-2"
      onChange={(event) => set({ operator: event.target.value as EventFilterOperator })}
    >
      {operators.map((operator) => (
        <option key={operator} value={operator}>
          {operatorLabels[operator]}
        </option>
      ))}
    </SelectField>
    {rule.operator === 'exists' ? (
      <span />
    ) : (
      <TextField
        label={uiStrings.value}
        value={rule.value ?? ''}
        onChange={(event) => set({ value: event.target.value })}
      />
    )}
    <Button look="quiet" label={strings.filters.remove(rule.field || strings.filters.noField)} onClick={onRemove}>
      <Trash2 aria-hidden />
    </Button>
  </li>
)

const TestResult = ({ result: { passes, rules } }: { result: FiltersTried }) => (
  <output className="block rounded-md border p-2">
    <Status tone={passes ? 'ok' : 'off'}>{passes ? strings.filters.passes : strings.filters.rejected}</Status>
    <ul className="mt-1 flex flex-col gap-1">
      {rules.map(({ field, operator, value, passes: matches, actual }, index) => (
        <li key={`${index + 1}`} className="flex flex-wrap gap-x-2">
          <Status tone={matches ? 'ok' : 'bad'}>{`${field} ${operatorLabels[operator]} ${value ?? ''}`}</Status>
          <code className="min-w-0 truncate font-mono text-[12px] text-soft">
            {actual === undefined ? strings.filters.missing : JSON.stringify(actual)}
          </code>
        </li>
      ))}
    </ul>
  </output>
)

const TestPanel = ({ trigger, filters }: { trigger: Trigger; filters: readonly EventFilter[] }) => {
  const stored = useList('trigger_fires.list', {
    limit: 20,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'trigger_id', operator: 'eq', value: trigger.id }],
  })
  const [chosen, setChosen] = useState('')
  const id = chosen || (stored.items[0]?.id ?? '')
  const attempt = useAct({
    work: () => call('trigger_fires.try_filters', { path: { id }, body: { filters: [...filters] } }),
    quiet: true,
  })
  if (stored.items.length === 0) return <p className="text-faint">{strings.filters.noDeliveries}</p>
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <div className="flex flex-wrap items-end gap-2">
        <SelectField label={strings.filters.delivery} value={id} onChange={(event) => setChosen(event.target.value)}>
          {stored.items.map((fire) => (
            <option key={fire.id} value={fire.id}>
              {strings.filters.deliveryLabel(dateTimeText(fire.created_at), outcomes[fire.status])}
            </option>
          ))}
        </SelectField>
        <Button busy={attempt.isPending} onClick={() => attempt.mutate()}>
          {strings.filters.test}
        </Button>
      </div>
      {attempt.error ? <ProblemNote error={attempt.error} /> : null}
      {attempt.data ? <TestResult result={attempt.data} /> : null}
    </div>
  )
}

export const FiltersPanel = ({ trigger }: { trigger: Trigger }) => {
  const [rules, setRules] = useState(() => trigger.filters.map(ruleOf))
  const filters = rules.map(filterOf)
  const save = useAct({
    work: () => call('triggers.update', { path: { id: trigger.id }, body: { filters } }),
    touches: ['triggers'],
    done: strings.filters.saved,
    quiet: true,
  })
  const isSaved = JSON.stringify(filters) === JSON.stringify(trigger.filters.map(filterOf))
  return (
    <Panel title={strings.filters.title}>
      <div className="flex flex-col gap-3">
        {rules.length === 0 ? <p className="text-soft">{strings.filters.empty}</p> : null}
        <ul className="flex flex-col gap-3">
          {rules.map((rule) => (
            <RuleRow
              key={rule.key}
              rule={rule}
              set={(part) => setRules(rules.map((each) => (each.key === rule.key ? { ...each, ...part } : each)))}
              onRemove={() => setRules(rules.filter(({ key }) => key !== rule.key))}
            />
          ))}
        </ul>
        {save.error ? <ProblemNote error={save.error} /> : null}
        <div className="flex gap-2">
          <Button onClick={() => setRules([...rules, ruleOf({ field: '', operator: 'eq', value: '' })])}>
            <Plus aria-hidden /> {strings.filters.add}
          </Button>
          {isSaved ? null : (
            <Button look="primary" busy={save.isPending} onClick={() => save.mutate()}>
              {strings.filters.save}
            </Button>
          )}
        </div>
        <TestPanel trigger={trigger} filters={filters} />
      </div>
    </Panel>
  )
}
