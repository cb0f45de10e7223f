// The steps of the flow run or the chat that a run belongs to, as one timeline.
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { Task } from '@millrace/contract/tasks'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useList } from '../api/list.ts'
import { useLiveResource } from '../api/live.ts'
import { read } from '../api/queries.ts'
import { classes } from '../ui/classes.ts'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { StatusIcon } from '../ui/status.tsx'
import { useNow } from '../ui/time.tsx'
import { durationText } from '../ui/time-text.ts'
import { chatOf, chatRows, flowRows, nodesByTask, spanOf, type TreeRow } from './run-tree.ts'
import { strings } from './strings.ts'

const words = strings.tree

/** Further runs are in the list of runs. */
const maxTasks = 100
/** Each chat is one request. */
const maxChats = 20

const colors: Record<TreeRow['tone'], string> = {
  waiting: 'bg-line-strong',
  live: 'bg-live',
  ok: 'bg-ok',
  bad: 'bg-bad',
  off: 'bg-line-strong',
  yours: 'bg-warn',
  warn: 'bg-warn',
}

const Label = ({ row: { label, to }, isCurrent }: { row: TreeRow; isCurrent: boolean }) => {
  const look = classes('truncate', isCurrent && 'font-medium')
  if (isCurrent || to === undefined) return <span className={look}>{label}</span>
  return (
    <Link
      to={to.kind === 'run' ? '/runs/$id' : '/chats/$id'}
      params={{ id: to.id }}
      className={classes(look, 'text-accent hover:underline')}
    >
      {label}
    </Link>
  )
}

const Step = ({ row, isCurrent, span }: { row: TreeRow; isCurrent: boolean; span: ReturnType<typeof spanOf> }) => {
  const { startMs, endMs = span.endMs, tone, note, depth, status } = row
  const share = (ms: number) => `${(100 * ms) / (span.endMs - span.startMs)}%`
  return (
    <li
      aria-current={isCurrent || undefined}
      className={classes(
        'grid grid-cols-[minmax(0,1fr)_72px] items-center gap-x-2 rounded px-1 sm:grid-cols-[240px_1fr_72px]',
        isCurrent && 'bg-hover',
      )}
    >
      <span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: depth * 14 }}>
        <StatusIcon tone={tone} className="size-3.5" />
        <span className="sr-only">{status}</span>
        <Label row={row} isCurrent={isCurrent} />
        <span className="truncate text-[12px] text-faint">{note}</span>
      </span>
      <span className="relative h-3 rounded bg-hover max-sm:hidden" aria-hidden>
        <span
          className={classes('absolute h-3 min-w-0.5 rounded', colors[tone])}
          style={{
            left: `min(${share(startMs - span.startMs)}, 100% - 2px)`,
            width: share(Math.max(0, endMs - startMs)),
          }}
        />
      </span>
      <span className="figures text-right text-faint">{durationText(Math.max(0, endMs - startMs))}</span>
    </li>
  )
}

const Steps = ({ rows, current }: { rows: readonly TreeRow[]; current: string }) => {
  const span = spanOf(rows, useNow())
  return (
    <ol className="flex flex-col gap-1">
      {rows.map((row) => (
        <Step
          key={row.id}
          row={row}
          isCurrent={row.id === current || (row.to?.kind === 'run' && row.to.id === current)}
          span={span}
        />
      ))}
    </ol>
  )
}

const FlowTree = ({ id, task }: { id: string; task: Task }) => {
  const stored = read('flow_runs.get', { path: { id } })
  const { data: run, error } = useQuery(stored)
  const isOver = run !== undefined && run.status >= flowRunStatus.completed
  useLiveResource({ operation: 'flow_runs.stream', id: isOver ? undefined : id, queryKey: stored.queryKey })
  const flow = useQuery({
    ...read('flows.get', { path: { id: run?.flow_id ?? '' } }),
    enabled: run !== undefined,
    retry: false,
  }).data
  const tasks = useList('tasks.list', {
    limit: maxTasks,
    sort: [{ field: 'created_at', dir: 'asc' }],
    filters: [{ field: 'flow_run_id', operator: 'eq', value: id }],
  })
  const nodeOf = nodesByTask({ node_tasks: run?.node_tasks ?? {} })
  const chats = tasks.items.flatMap((item) => chatOf(item, nodeOf) ?? [])
  const traces = useQueries({
    queries: chats.slice(0, maxChats).map((chat) => read('chats.trace', { path: { id: chat } })),
  })
  if (error) return <ProblemNote error={error} />
  if (!run || tasks.isLoading) return <SkeletonRows rows={3} />
  const found = new Map(traces.flatMap(({ data }) => (data ? [[data.graph_id, data] as const] : [])))
  const name = flow?.title || flow?.name || strings.flow
  return (
    <>
      <Steps
        rows={flowRows({ run, name, tasks: tasks.items, traces: found })}
        current={task.sub_flow_run_id === id ? id : task.id}
      />
      {tasks.more ? (
        <Link to="/runs" search={{ flow_run: id }} className="mt-2 block text-accent hover:underline">
          {words.allOf(tasks.total)}
        </Link>
      ) : null}
    </>
  )
}

const ChatTree = ({ id, task }: { id: string; task: Task }) => {
  const { data, error } = useQuery(read('chats.trace', { path: { id } }))
  if (error) return <ProblemNote error={error} />
  return data ? <Steps rows={chatRows(data)} current={task.id} /> : <SkeletonRows rows={3} />
}

/** Only for runs that belong to a flow run or a chat. */
export const RunTree = ({ task }: { task: Task }) => {
  const flowRunId = task.sub_flow_run_id ?? task.flow_run_id
  if (!flowRunId && !task.chat_id) return null
  return (
    <Panel title={words.title}>
      {flowRunId ? <FlowTree id={flowRunId} task={task} /> : <ChatTree id={task.chat_id ?? ''} task={task} />}
    </Panel>
  )
}
