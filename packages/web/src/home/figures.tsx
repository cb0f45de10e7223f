// The figures of home: how runs go, what waits, what is in use, what it cost.
import { taskStatus } from '@millrace/contract/task-status'
import type { Task, TaskCounts } from '@millrace/contract/tasks'
import { useQuery } from '@tanstack/react-query'
import { type Listed, useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { classes } from '../ui/classes.ts'
import { Figure } from '../ui/figure.tsx'
import { durationText } from '../ui/time-text.ts'
import { inUse, isCut, totalsOf } from './summary.ts'

const waits = { field: 'status', operator: 'in', value: [taskStatus.received, taskStatus.queued] }

const Workers = () => {
  const list = useList('engines.list', { include_others: true, limit: 100 })
  const { engines, workers } = inUse(list.items)
  return (
    <Figure
      label="Workers in use"
      value={workers[1] === 0 ? '–' : `${workers[0]} / ${workers[1]}`}
      note={
        engines[1] === 0
          ? 'shared engines'
          : `${engines[0]} of ${engines[1]} engine${engines[1] === 1 ? '' : 's'} in use`
      }
    />
  )
}

type FiguresProps = {
  since: string
  counts: TaskCounts | undefined
  active: Listed<Task>
}

const durationOf = (ms: number | null | undefined): string => (typeof ms === 'number' ? durationText(ms) : '–')

export const Figures = ({ since, counts, active }: FiguresProps) => {
  const waiting = useList('tasks.list', { limit: 1, filters: [waits] })
  const cost = useQuery(read('billing.usage', { query: { from: since } }))
  const spent = cost.data?.total ?? 0
  const totals = counts && totalsOf(counts)
  const more = counts && isCut(counts) ? '+' : ''
  return (
    <div className={classes('grid grid-cols-2 gap-3', spent > 0 ? 'md:grid-cols-6' : 'md:grid-cols-5')}>
      <Figure
        label="Runs, 24 hours"
        value={totals ? `${totals.all.toLocaleString()}${more}` : '–'}
        note={totals ? `${totals.failed.toLocaleString()}${more} failed` : ' '}
      />
      <Figure label="Median duration" value={durationOf(counts?.p50_ms)} note="p50 of finished runs" />
      <Figure label="Slow end" value={durationOf(counts?.p95_ms)} note="p95 of finished runs" />
      <Figure
        label="Waiting"
        value={waiting.total.toLocaleString()}
        note={`${Math.max(0, active.total - waiting.total).toLocaleString()} running`}
      />
      <Workers />
      {spent > 0 ? <Figure label="Cost, 24 hours" value={moneyText(spent)} note="of runs and machines" /> : null}
    </div>
  )
}
