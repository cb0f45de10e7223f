// Budgets: the limits per day or month, and how much is spent.
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
import { strings } from './strings.ts'

const words = strings.budgets

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
          {enforcement === 'block' ? words.blocks : words.warns}
        </Badge>
        <span className="figures grow text-right text-soft">
          {words.used(moneyText(spent), held > 0 ? moneyText(held) : '', moneyText(limit), period)}
        </span>
        <span className="text-faint">
          {words.resets} <Ago time={resets_at} />
        </span>
        {mayChange ? (
          <Button look="quiet" label={words.editOf(name)} onClick={change}>
            <Pencil aria-hidden />
          </Button>
        ) : null}
        {mayChange ? (
          <ConfirmButton
            label={words.removeOf(name)}
            icon={<Trash2 aria-hidden />}
            title={words.removeTitle(moneyText(limit), period, name)}
            confirm={words.remove}
            act={remove}
          >
            {words.removeText(name)}
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
      title={words.title}
      flush
      actions={mayChange ? <Button onClick={() => setCreating(true)}>{words.new}</Button> : null}
    >
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      {list.isLoading ? <SkeletonRows rows={2} /> : null}
      {!list.isLoading && !list.error && list.items.length === 0 ? (
        <p className="p-3 text-faint">{words.none}</p>
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
      <Dialog open={creating} onClose={() => setCreating(false)} title={words.new}>
        <NewBudget onDone={() => setCreating(false)} />
      </Dialog>
      <Dialog open={changed !== null} onClose={() => setChanged(null)} title={words.edit}>
        {changed ? <ChangeBudget budget={changed} onDone={() => setChanged(null)} /> : null}
      </Dialog>
    </Panel>
  )
}
