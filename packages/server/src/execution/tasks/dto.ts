// Converts a task row to its form on the wire.
import { shortId } from '@millrace/contract/ids'
import { isTerminal, taskStatus, taskStatusText } from '@millrace/contract/task-status'
import type { Task, TaskLog, TaskResult } from '@millrace/contract/tasks'
import { type Actor, isMember } from '#platform/core/actor.ts'
import { wireTimeOfJson } from '#platform/core/times.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { StatusEvent, TaskRow } from './row.ts'
import type { LogRow } from './store.ts'

export const eventsOf = (row: Pick<TaskRow, 'id' | 'events'>) =>
  (row.events as StatusEvent[]).map((event) => ({
    id: event.id,
    created_at: event.event_time,
    event_time: event.event_time,
    task_id: row.id,
    status: event.status,
  }))

export const taskResultDto = (row: TaskRow): TaskResult => ({
  id: row.id,
  short_id: shortId(row.id),
  status: row.status,
  status_text: taskStatusText(row.status),
  output: row.output ?? null,
  ...(row.error === '' ? {} : { error: row.error }),
  ...(row.session_id === null ? {} : { session_id: row.session_id }),
  created_at: row.created_at,
  updated_at: row.updated_at,
  ...(row.run_at === null ? {} : { run_at: row.run_at }),
})

/**
 * The answer to a run request never has a terminal status, because a polling client waits for the status to change.
 * When the row was written, the task may already have been assigned to a worker, or be a running flow. The answer shows
 * the task as it was accepted.
 */
export const asAccepted = (result: TaskResult): TaskResult =>
  result.status === taskStatus.received || result.status === taskStatus.queued
    ? result
    : { ...result, status: taskStatus.queued, status_text: taskStatusText(taskStatus.queued), output: null }

export const taskDto = (row: TaskRow, embeds: Partial<Task> = {}): Task => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: row.visibility as Task['visibility'],
  status: row.status,
  app_id: row.app_id,
  app_version_id: row.app_version_id,
  app: null,
  app_version: null,
  app_variant: row.app_variant,
  function: row.function,
  infra: row.infra,
  workers: row.workers,
  setup: row.setup ?? null,
  input: row.input,
  output: row.output ?? null,
  ...(row.error === '' ? {} : { error: row.error }),
  ...(row.gpu_memory_peak === null ? {} : { gpu_memory_peak: row.gpu_memory_peak }),
  rating: row.rating,
  is_featured: row.is_featured,
  metadata: row.metadata,
  events: eventsOf(row),
  usage_events: [],
  engine_id: row.engine_id,
  worker_id: row.worker_id,
  session_id: row.session_id,
  session_timeout: row.session_timeout,
  run_at: row.run_at,
  webhook: row.webhook,
  graph_id: row.graph_id,
  flow_run_id: row.flow_run_id,
  sub_flow_run_id: row.sub_flow_run_id,
  ...(row.flow_item === null ? {} : { flow_item: row.flow_item }),
  chat_id: row.chat_id,
  agent_id: row.agent_id,
  agent_version_id: row.agent_version_id,
  user_public_key: null,
  engine_public_key: null,
  ...embeds,
})

/**
 * A task as the snapshot of its stream. The last event of a stream holds status, output, session and `error`, even when
 * the error is empty: a reader may use that single event as the result.
 */
export const streamedTaskDto = (row: TaskRow, logs: readonly LogRow[]): Task =>
  taskDto(row, { logs: logsDto(row.id, logs), ...(isTerminal(row.status) ? { error: row.error } : {}) })

/**
 * A task without the fields that this reader may not see. A webhook address often contains a token, so only the task's
 * workspace sees it.
 */
export const shownTo = (actor: Actor, task: Task): Task =>
  isMember(actor) && actor.teamId === task.team_id ? task : { ...task, webhook: '' }

export const logsDto = (taskId: string, rows: readonly LogRow[]): TaskLog[] =>
  rows.map((row) => ({
    id: `${taskId}-${row.log_type}`,
    created_at: wireTimeOfJson(row.created_at),
    updated_at: wireTimeOfJson(row.updated_at),
    task_id: taskId,
    log_type: row.log_type,
    content: Buffer.from(row.content).toString('base64'),
  }))
