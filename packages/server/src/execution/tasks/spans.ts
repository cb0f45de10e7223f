// The spans of a finished task, derived from its row alone: the run, and for each attempt the wait for a worker, the
// engine's work and the app's part of it. Engines therefore need no trace collector. Pure.
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import { contextWithin, formatTraceparent } from '#platform/tracing/context.ts'
import type { SpanRecord } from '#platform/tracing/tracing.ts'
import { eventsOf } from './dto.ts'
import type { TaskRow } from './row.ts'

type Traced = Pick<
  TaskRow,
  | 'id'
  | 'team_id'
  | 'app_id'
  | 'function'
  | 'status'
  | 'events'
  | 'traceparent'
  | 'engine_id'
  | 'worker_id'
  | 'flow_run_id'
  | 'flow_node_id'
  | 'sub_flow_run_id'
>

/** The key of a task's span; spans inside the task name it as their parent. */
export const taskKey = (id: string): string => `task:${id}`

const engineKey = (id: string, attempt: number): string => `engine:${id}:${attempt}`
const appKey = (id: string, attempt: number): string => `app:${id}:${attempt}`

export type SpanWithin = (parent: string, key: string) => string

/** Passed to the app with its run, so that its own spans and calls join the trace. */
export const appTraceparent = (
  within: SpanWithin,
  task: { id: string; traceparent: string; attempt: number },
): string =>
  within(
    within(within(task.traceparent, taskKey(task.id)), engineKey(task.id, task.attempt)),
    appKey(task.id, task.attempt),
  )

type Attempt = {
  queuedMs: number
  dispatchedMs: number
  runningMs?: number
  returnedMs?: number
  /** Time of the last report before the end. */
  lastReportMs: number
  endMs: number
}

/** An attempt starts when the task is dispatched and ends with the task, or when the task is queued again. */
const attemptsOf = (row: Traced): Attempt[] => {
  const attempts: Attempt[] = []
  let queuedMs = 0
  for (const { status, event_time } of eventsOf(row)) {
    const atMs = Date.parse(event_time)
    const current = attempts.at(-1)
    if (status === taskStatus.queued || isTerminal(status)) {
      queuedMs = atMs
      if (current && current.endMs === 0) current.endMs = atMs
    } else if (status === taskStatus.dispatched) {
      if (current && current.endMs === 0) current.endMs = atMs
      attempts.push({ queuedMs: queuedMs || atMs, dispatchedMs: atMs, lastReportMs: atMs, endMs: 0 })
    } else if (current) {
      current.lastReportMs = atMs
      if (status === taskStatus.running) current.runningMs ??= atMs
      if (status === taskStatus.uploading) current.returnedMs ??= atMs
    }
  }
  return attempts
}

const nameOf = ({ flow_node_id, sub_flow_run_id }: Traced): string => {
  if (flow_node_id !== null) return 'flow step'
  return sub_flow_run_id === null ? 'run' : 'flow run'
}

const wordsOf = (row: Traced): Record<string, string> => ({
  'millrace.task_id': row.id,
  'millrace.team_id': row.team_id,
  ...(row.app_id === '' ? {} : { 'millrace.app_id': row.app_id, 'millrace.function': row.function }),
  ...(row.flow_run_id === null ? {} : { 'millrace.flow_run_id': row.flow_run_id }),
  ...(row.flow_node_id === null ? {} : { 'millrace.flow_node_id': row.flow_node_id }),
})

/** The spans of a task that has ended. */
export const spansOf = (row: Traced): SpanRecord[] => {
  const events = eventsOf(row)
  const [first] = events
  const last = events.at(-1)
  if (!first || !last) return []
  const span = (parent: string, key: string, name: string, startMs: number, endMs: number, isLast: boolean) => {
    const context = contextWithin(parent, key)
    const failed = isLast && row.status !== taskStatus.completed
    const record: SpanRecord = { name, kind: 'internal', context, parent, startMs, endMs, failed, attributes: {} }
    return { record, inside: formatTraceparent(context) }
  }
  const times = [Date.parse(first.event_time), Date.parse(last.event_time)] as const
  const taskSpan = span(row.traceparent, taskKey(row.id), nameOf(row), ...times, true)
  const spans: SpanRecord[] = [{ ...taskSpan.record, attributes: wordsOf(row) }]
  const attempts = attemptsOf(row)
  for (const [index, { queuedMs, dispatchedMs, returnedMs, lastReportMs, endMs, ...one }] of attempts.entries()) {
    const attempt = index + 1
    const isLast = attempt === attempts.length
    // A completed app did run, even if the report of its start was lost with a server or a connection.
    const runningMs = one.runningMs ?? (isLast && row.status === taskStatus.completed ? lastReportMs : undefined)
    const end = endMs || times[1]
    const dispatch = span(taskSpan.inside, `dispatch:${row.id}:${attempt}`, 'dispatch', queuedMs, dispatchedMs, false)
    const engine = span(taskSpan.inside, engineKey(row.id, attempt), 'engine', dispatchedMs, end, isLast)
    const where = {
      'millrace.attempt': attempt,
      // The row does not record the engines of earlier attempts.
      ...(isLast && row.engine_id !== null ? { 'millrace.engine_id': row.engine_id } : {}),
      ...(isLast && row.worker_id !== null ? { 'millrace.worker_id': row.worker_id } : {}),
    }
    spans.push(dispatch.record, { ...engine.record, attributes: where })
    if (runningMs === undefined) continue
    const app = span(engine.inside, appKey(row.id, attempt), 'app', runningMs, returnedMs ?? end, isLast)
    spans.push({ ...app.record, attributes: wordsOf(row) })
  }
  return spans
}
