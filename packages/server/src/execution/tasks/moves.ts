// Every change of a task's status: the row, its event, the stream updates and the effects of the end of a task, all in
// one transaction.

import type { RejectReason } from '@millrace/contract/engine-frames'
import { newId } from '@millrace/contract/ids'
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import { addRowBytes } from '#accounts/plans/service.ts'
import type { ResourceChange } from '#platform/bus/resource-stream.ts'
import { rowUpdate, teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { valueBytes } from '#platform/core/value-bytes.ts'
import { eventsOf, streamedTaskDto } from './dto.ts'
import { taskEnded } from './extension-points.ts'
import { moveInGroup } from './move-group.ts'
import { releaseWorker, requeueTask, type StatusMove } from './move-store.ts'
import { addReported } from './reported.ts'
import type { Fence, StatusEvent, TaskRow } from './row.ts'
import { takeSent } from './sent-tasks.ts'
import { spansOf } from './spans.ts'
import { storableJson } from './storable.ts'
import { removeStreamed, streamedOutput } from './streamed-outputs.ts'
import { flowRunTasksSubject, queueEvent, taskSubject } from './subjects.ts'
import { queueWebhook } from './webhooks.ts'

/** `at` is an RFC 3339 time of the server's clock with milliseconds; the wire always has microseconds. */
export const statusEvent = (status: number, at: string): StatusEvent => ({
  id: newId(),
  status,
  event_time: at.replace(/\.(\d{3})Z$/, '.$1000Z'),
})

export type MoveOptions = {
  fence: StatusMove['fence']
  to: number
  /** Statuses passed on the way. */
  via?: readonly { status: number; at: string }[]
  output?: unknown
  error?: string
  gpuMemoryPeak?: number
}

/** Undefined, without effect, when the move is illegal from the current status or the attempt is over. */
export const move = async (ctx: Ctx<Actor>, id: string, options: MoveOptions): Promise<TaskRow | undefined> => {
  const now = ctx.now().toISOString()
  const { fence, to, error, gpuMemoryPeak } = options
  const isStopped = options.output === undefined && to === taskStatus.cancelled
  const output = isStopped ? streamedOutput(ctx, id) : options.output
  const events = [...(options.via ?? []), { status: to, at: now }].map(({ status, at }) => statusEvent(status, at))
  const text = output === undefined ? undefined : storableJson(output)
  const apply = async (ctx: Ctx<Actor>) => {
    // The last event of a stream contains the whole task. Reading the logs in the same statement saves a round trip.
    const withLogs = isTerminal(to) && ctx.bus.hasListener(taskSubject(id))
    const moved = await moveInGroup(ctx, { id, fence, to, events, now, output: text, error, gpuMemoryPeak, withLogs })
    if (!moved) return undefined
    const { logs, ...row } = moved
    const whole = logs && isSameForAllReaders(row) ? streamedTaskDto(row, logs) : undefined
    if (output !== undefined) addRowBytes(ctx, row.team_id, valueBytes(output))
    reportStatus(ctx, row, { withOutput: output !== undefined, whole })
    if (isTerminal(to)) await settle(ctx, row)
    // The worker is idle while the engine still stores the outputs.
    else if (to === taskStatus.uploading) ctx.emit(queueEvent('free'))
    return row
  }
  // A single statement needs no transaction: a status that is not terminal, or an end without other effects.
  if (!isTerminal(to)) return apply(ctx)
  const sent = takeSent(ctx, id)
  const ended = sent && { ...sent, status: to, output: output ?? sent.output, error: error ?? sent.error }
  const row = await (ended && !hasEndEffects(ctx, ended) ? apply(ctx) : ctx.tx(apply))
  // Not earlier: a move of another attempt has no effect, and of two simultaneous moves only one has.
  if (row) removeStreamed(ctx, id)
  if (row && ctx.tracing.isOn) for (const span of spansOf(row)) ctx.tracing.record(span)
  return row
}

const requeueDelayMs = 250

/**
 * The status of a worker after a rejection. A busy worker becomes idle with the next heartbeat that says so; an unknown
 * worker receives no tasks until its engine reconnects.
 */
const workerAfter: Record<RejectReason, 'idle' | 'busy' | 'inactive'> = {
  worker_busy: 'busy',
  worker_not_found: 'inactive',
  worker_id_nil: 'inactive',
  engine_draining: 'idle',
}

export const rejectTask = async (ctx: Ctx<Actor>, id: string, fence: Fence, reason: RejectReason): Promise<boolean> => {
  const now = ctx.now()
  return ctx.tx(async (ctx) => {
    const event = statusEvent(taskStatus.queued, now.toISOString())
    const availableAt = new Date(now.getTime() + requeueDelayMs).toISOString()
    const row = await requeueTask(ctx.db, id, fence, event, availableAt)
    if (!row) return false
    await releaseWorker(ctx.db, id, workerAfter[reason], now.toISOString())
    reportStatus(ctx, row)
    return true
  })
}

/** Whether all readers see the same fields. Otherwise each stream reads the final row itself. */
const isSameForAllReaders = (row: TaskRow): boolean => row.webhook === ''

/** Whether the end of this task changes more than the rows of the task and its worker. */
const hasEndEffects = ({ extensions }: Ctx<Actor>, row: TaskRow): boolean =>
  row.webhook !== '' || extensions.listenersOf(taskEnded).some((listener) => listener.concerns(row))

/** The effects of the end of a task, in the same transaction. */
const settle = async (ctx: Ctx<Actor>, row: TaskRow): Promise<void> => {
  if (row.webhook !== '') await queueWebhook(ctx, row)
  for (const listener of ctx.extensions.listenersOf(taskEnded)) if (listener.concerns(row)) await listener.run(ctx, row)
  ctx.emit(queueEvent('free'))
}

/** Lists of runs show the beginning of an error message; the task has all of it. */
const maxReasonLength = 500

export const reportStatus = (
  ctx: Ctx<Actor>,
  row: TaskRow,
  { withOutput = false, whole }: { withOutput?: boolean; whole?: object } = {},
): void => {
  addReported(ctx, row.id)
  const fields = {
    status: row.status,
    updated_at: row.updated_at,
    events: eventsOf(row),
    engine_id: row.engine_id,
    worker_id: row.worker_id,
    ...(row.error === '' ? {} : { error: row.error }),
  }
  report(ctx, row, { ...fields, ...(withOutput ? { output: row.output } : {}) }, { whole })
  const update = rowUpdate(
    'tasks',
    row,
    { ...fields, ...(fields.error && { error: fields.error.slice(0, maxReasonLength) }) },
    'apps:read',
  )
  ctx.emit({ subject: teamSubject(row.team_id), data: update })
}

/** Publishes the changed fields to the streams of this task and of its flow run. */
export const report = (
  ctx: Ctx<Actor>,
  row: { id: string; event_seq: number; flow_run_id: string | null },
  fields: Record<string, unknown>,
  { whole, weightBytes }: { whole?: object | undefined; weightBytes?: number } = {},
): void => {
  const change: ResourceChange = {
    seq: row.event_seq,
    data: { id: row.id, ...fields },
    fields: Object.keys(fields),
    ...(whole ? { whole } : {}),
    ...(weightBytes === undefined ? {} : { weightBytes }),
  }
  ctx.emit({ subject: taskSubject(row.id), data: change })
  if (row.flow_run_id !== null) ctx.emit({ subject: flowRunTasksSubject(row.flow_run_id), data: change })
}
