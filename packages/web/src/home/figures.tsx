// Key figures of the home page: runs, durations, queue, workers, cost.
import { taskStatus } from '@millrace/contract/task-status'
import type { Task, TaskCounts } from '@millrace/contract/tasks'
import { useQuery } from '@tanstack/react-query'
import { type Listed, useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { classes } from '../ui/classes.ts'
import { Figure } from '../ui/figure.tsx'
import { countText, durationText } from '../ui/time-text.ts'
import { strings } from './strings.ts'
import { busyCounts, isTruncated, totalsOf } from './summary.ts'

const queuedFilter = { field: 'status', operator: 'in', value: [taskStatus.received, taskStatus.queued] }

const words = strings.figures

const Workers = () => {
  const list = useList('engines.list', { include_others: true, limit: 100 })
  const { engines, workers } = busyCounts(list.items)
  return (
    <Figure
      label={words.workers}
      value={workers[1] === 0 ? '–' : `${workers[0]} / ${workers[1]}`}
      note={engines[1] === 0 ? words.sharedEngines : words.busyEngines(engines[0], engines[1])}
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
  const queued = useList('tasks.list', { limit: 1, filters: [queuedFilter] })
  const cost = useQuery(read('billing.usage', { query: { from: since } }))
  const spent = cost.data?.total ?? 0
  const totals = counts && totalsOf(counts)
  const more = counts && isTruncated(counts) ? '+' : ''
  return (
    <div className={classes('grid grid-cols-2 gap-3', spent > 0 ? 'md:grid-cols-6' : 'md:grid-cols-5')}>
      <Figure
        label={words.runs}
        value={totals ? `${countText(totals.all)}${more}` : '–'}
        note={totals ? words.failed(`${countText(totals.failed)}${more}`) : ' '}
      />
      <Figure label={words.median} value={durationOf(counts?.p50_ms)} note={words.medianNote} />
      <Figure label={words.p95} value={durationOf(counts?.p95_ms)} note={words.p95Note} />
      <Figure
        label={words.queued}
        value={countText(queued.total)}
        note={words.running(countText(Math.max(0, active.total - queued.total)))}
      />
      <Workers />
      {spent > 0 ? <Figure label={words.cost} value={moneyText(spent)} note={words.costNote} /> : null}
    </div>
  )
}
