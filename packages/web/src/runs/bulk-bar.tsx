// The actions for the selected runs, and the summary of the last action.
import type { Task } from '@millrace/contract/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { refresh } from '../api/refresh.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import type { Selection } from '../ui/selection.tsx'
import { uiStrings } from '../ui/strings.ts'
import { applyToEach, type BulkAction, type BulkResult, refusalOf } from './bulk.ts'
import { retryOf } from './retry.ts'
import { strings } from './strings.ts'

const words = strings.bulk

const works: Record<BulkAction, (task: Task) => Promise<unknown>> = {
  cancel: ({ id }) => call('tasks.cancel', { path: { id }, body: {} }),
  retry: (task) => call('tasks.run', { body: retryOf(task) }),
  delete: ({ id }) => call('tasks.delete', { path: { id } }),
}

type Summary = { action: BulkAction; result: BulkResult }

const SummaryText = ({ summary: { action, result } }: { summary: Summary }) => (
  <div role="status" className="flex flex-col">
    <p>{words.done[action](result.done.length)}</p>
    {result.refusals.map(({ reason, rows }) => (
      <p key={reason} className="text-bad">
        {words.refused(rows.length, reason)}
      </p>
    ))}
  </div>
)

const ActionButton = ({
  action,
  tasks,
  onDone,
}: {
  action: BulkAction
  tasks: readonly Task[]
  onDone: (summary: Summary) => void
}) => {
  const client = useQueryClient()
  const count = tasks.filter((task) => refusalOf(action, task) === undefined).length
  const act = async () => {
    const result = await applyToEach(action, tasks, works[action])
    onDone({ action, result })
    await refresh(client, { queryKey: ['tasks'] })
  }
  return (
    <ConfirmButton
      label={words.actions[action]}
      title={words.titles[action](count)}
      confirm={words.actions[action]}
      look={action === 'retry' ? 'plain' : 'danger'}
      act={act}
    >
      {words.texts[action]}
    </ConfirmButton>
  )
}

type BulkBarProps = {
  selection: Selection<Task>
  /** The first rows of the list, which one button selects. */
  first: readonly Task[]
}

export const BulkBar = ({ selection, first }: BulkBarProps) => {
  const [summary, setSummary] = useState<Summary>()
  const tasks = [...selection.rows.values()]
  const finish = (next: Summary) => {
    setSummary(next)
    selection.set(next.result.done, false)
  }
  if (tasks.length === 0 && !summary) return null
  return (
    <section aria-label={words.title} className="mx-4 mb-2 flex flex-wrap items-center gap-2 md:mx-6">
      {tasks.length === 0 ? null : (
        <>
          <span className="figures">{words.selected(tasks.length)}</span>
          <ActionButton action="cancel" tasks={tasks} onDone={finish} />
          <ActionButton action="retry" tasks={tasks} onDone={finish} />
          <ActionButton action="delete" tasks={tasks} onDone={finish} />
          <Button look="quiet" onClick={() => selection.set(first, true)}>
            {words.selectFirst(first.length)}
          </Button>
          <Button look="quiet" onClick={selection.clear}>
            {words.clear}
          </Button>
        </>
      )}
      {summary ? (
        <>
          <SummaryText summary={summary} />
          <Button look="quiet" onClick={() => setSummary(undefined)}>
            {uiStrings.close}
          </Button>
        </>
      ) : null}
    </section>
  )
}
