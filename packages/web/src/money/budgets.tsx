// Budgets: how much may be spent in a day or a month, by whom, and how much of it is gone.
import type { Budget } from '@millrace/contract/budgets'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { moneyText } from './amounts.ts'
import { ChangeBudget, NewBudget, subjects, useChoices } from './budget-form.tsx'

type RowProps = { budget: Budget; mayChange: boolean; change: () => void; remove: () => Promise<unknown> }

const Row = ({ budget, mayChange, change, remove }: RowProps) => {
  const { subject_type, subject_id, period, limit, spent, held, enforcement, resets_at } = budget
  const share = limit === 0 ? 1 : Math.min(1, (spent + held) / limit)
  const named = useChoices(subject_type).find(({ id }) => id === subject_id)?.label ?? subject_id.slice(0, 8)
  const name = subject_type === 'workspace' ? subjects.workspace : `${subjects[subject_type]} ${named}`
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
          <Button look="quiet" label={`Change the budget of ${name}`} onClick={change}>
            <Pencil aria-hidden />
          </Button>
        ) : null}
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
  const [changed, setChanged] = useState<Budget | null>(null)
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
          <Row
            key={budget.id}
            budget={budget}
            mayChange={mayChange}
            change={() => setChanged(budget)}
            remove={() => remove.mutateAsync(budget.id)}
          />
        ))}
      </ul>
      <Dialog open={creating} onClose={() => setCreating(false)} title="New budget">
        <NewBudget onDone={() => setCreating(false)} />
      </Dialog>
      <Dialog open={changed !== null} onClose={() => setChanged(null)} title="Change the budget">
        {changed ? <ChangeBudget budget={changed} onDone={() => setChanged(null)} /> : null}
      </Dialog>
    </Panel>
  )
}
