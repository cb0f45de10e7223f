// The progress of a loop, and its items as a table; an item opens with its input, output and log.
import type { FlowRun, LoopProgress } from '@millrace/contract/flow-runs'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { RunView } from '../runs/run-view.tsx'
import { TaskStatus } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Took } from '../ui/time.tsx'
import { strings } from './strings.ts'

const words = strings.loop

type Item = { id: string; flow_item?: number; status: number; created_at: string; updated_at: string }

const doneStatus = 10

const columns: readonly Column<Item>[] = [
  { id: 'item', header: words.item, width: '3rem', cell: ({ flow_item }) => flow_item },
  { id: 'status', header: words.status, cell: ({ status }) => <TaskStatus status={status} /> },
  {
    id: 'took',
    header: words.duration,
    end: true,
    cell: ({ created_at, updated_at, status }) => (
      <Took from={created_at} to={status >= doneStatus ? updated_at : undefined} />
    ),
  },
]

export const progressText = ({ total, done, failed }: LoopProgress): string =>
  failed === 0 ? words.progress(done, total) : words.progressWithFailures(done, total, failed)

export const LoopItems = ({ run, nodeId, progress }: { run: FlowRun; nodeId: string; progress: LoopProgress }) => {
  const [open, setOpen] = useState<string>()
  const list = useList('tasks.list', {
    limit: 20,
    sort: [{ field: 'flow_item', dir: 'asc' }],
    filters: [
      { field: 'flow_run_id', operator: 'eq', value: run.id },
      { field: 'flow_node_id', operator: 'eq', value: nodeId },
    ],
  })
  return (
    <div className="flex flex-col gap-2">
      <p className="figures">{progressText(progress)}</p>
      <progress
        className="w-full"
        aria-label={words.items}
        max={progress.total}
        value={progress.done + progress.failed}
      />
      <Table
        label={words.items}
        columns={columns}
        list={{ ...list, items: list.items as readonly Item[] }}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpen(id === open ? undefined : id)}
        empty={words.noItems}
      />
      {open ? <RunView key={open} id={open} compact /> : null}
    </div>
  )
}
