// A live run: status, duration, output and logs. Shown next to the form of an app and on its own page.
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Square } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useLiveResource } from '../api/live.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { TaskStatus } from '../ui/status.tsx'
import { Took } from '../ui/time.tsx'
import { Logs } from './logs.tsx'
import { Output } from './output.tsx'
import { addStreamedText, noStreamedText } from './streamed-text.ts'
import { strings } from './strings.ts'
import { Timeline } from './timeline.tsx'

const words = strings.view

export const endOf = (task: Task): string | undefined =>
  isTerminal(task.status) ? (task.events.at(-1)?.event_time ?? task.updated_at) : undefined

/**
 * The live run: the stored row with the name of its app, overlaid with stream events, which contain the logs, and with
 * streamed text that is not part of the output yet.
 */
export const useRun = (id: string) => {
  const { data: row, error } = useQuery(read('tasks.get', { path: { id } }))
  const liveKey = ['task_streams', id]
  const { data: live } = useQuery<Task>({ queryKey: liveKey, queryFn: skipToken, staleTime: Number.POSITIVE_INFINITY })
  const [streamed, setStreamed] = useState(noStreamedText)
  useLiveResource({
    operation: 'tasks.stream',
    id: live && isTerminal(live.status) ? undefined : id,
    queryKey: liveKey,
    onDelta: (data) => setStreamed((before) => addStreamedText(before, data)),
  })
  const task: Task | undefined = row && live ? { ...row, ...live, app: row.app } : (row ?? live)
  return { task, error, streamed: streamed.text }
}

export const CancelRun = ({ task }: { task: Task }) => {
  const cancel = useAct({
    work: () => call('tasks.cancel', { path: { id: task.id }, body: {} }),
    done: words.canceling,
  })
  if (isTerminal(task.status)) return null
  return (
    <Button look="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
      <Square aria-hidden /> {words.cancel}
    </Button>
  )
}

const Failure = ({ task }: { task: Task }) =>
  task.error ? (
    <div role="alert" className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2">
      <p className="font-medium text-bad">{words.failed}</p>
      <p className="whitespace-pre-wrap break-words font-mono text-[12px]">{task.error}</p>
    </div>
  ) : null

const Streamed = ({ text }: { text: string }) => (
  <p aria-live="polite" className="whitespace-pre-wrap">
    {text}
    <span className="ml-0.5 inline-block h-4 w-1.5 animate-pulse bg-accent align-middle" aria-hidden />
  </p>
)

const waitingText = ({ status, queue_reason }: Task): string | undefined =>
  status === taskStatus.queued && queue_reason ? words.waiting(queue_reason.message) : undefined

export const Result = ({ task, streamed }: { task: Task; streamed: string }) => {
  const over = isTerminal(task.status)
  return (
    <div className="flex flex-col gap-3">
      <Failure task={task} />
      {!over && streamed !== '' ? <Streamed text={streamed} /> : null}
      {task.output === null || task.output === undefined ? (
        over || streamed !== '' ? null : (
          <p className="text-faint">{waitingText(task) ?? words.noOutput}</p>
        )
      ) : (
        <Output value={task.output} />
      )}
    </div>
  )
}

export const RunView = ({ id, compact = false }: { id: string; compact?: boolean }) => {
  const { task, error, streamed } = useRun(id)
  if (error && !task) return <ProblemNote error={error} />
  if (!task)
    return (
      <Panel title={words.title}>
        <SkeletonRows rows={4} />
      </Panel>
    )
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Panel
        title={<TaskStatus status={task.status} />}
        actions={
          <>
            <Took from={task.created_at} to={endOf(task)} />
            <CancelRun task={task} />
            {compact ? (
              <Link to="/runs/$id" params={{ id: task.id }} className="text-accent hover:underline">
                {words.open}
              </Link>
            ) : (
              <Id id={task.id} />
            )}
          </>
        }
      >
        <Result task={task} streamed={streamed} />
      </Panel>
      <Panel title={words.logs} flush>
        <Logs logs={task.logs ?? []} live={!isTerminal(task.status)} />
      </Panel>
      <Panel title={words.timeline}>
        <Timeline events={task.events} over={isTerminal(task.status)} />
      </Panel>
    </div>
  )
}
