// Every change of a task's status goes through here: the row, its event, what streams report, and what the end of a
// task sets in motion, all in one transaction.

import type { RejectReason } from '@millrace/contract/engine-frames'
import { newId } from '@millrace/contract/ids'
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { ResourceChange } from '#platform/bus/resource-stream.ts'
import { rowNews, teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { eventsOf, streamedTaskDto } from './dto.ts'
import { taskEnded } from './extension-points.ts'
import { type Move, moveTask, releaseWorker, requeueTask } from './move-store.ts'
import type { Fence, StatusEvent, TaskRow } from './row.ts'
import { takeSent } from './sent.ts'
import { spansOf } from './spans.ts'
import { flowRunTasksSubject, queueNews, taskSubject } from './subjects.ts'
import { queueWebhook } from './webhooks.ts'

/** `at` is a time of the server's clock, in milliseconds; the wire shows microseconds everywhere. */
export const statusEvent = (status: number, at: string): StatusEvent => ({
  id: newId(),
  status,
  event_time: at.replace(/\.(\d{3})Z$/, '.$1000Z'),
})

export type MoveOptions = {
  fence: Move['fence']
  to: number
  /** Statuses passed through on the way. */
  via?: readonly { status: number; at: string }[]
  output?: unknown
  error?: string
}

/** Undefined when the move is not legal from where the task is, or the attempt is over: nothing happened then. */
export const move = async (ctx: Ctx<Actor>, id: string, options: MoveOptions): Promise<TaskRow | undefined> => {
  const now = ctx.now().toISOString()
  const { fence, to, output, error } = options
  const events = [...(options.via ?? []), { status: to, at: now }].map(({ status, at }) => statusEvent(status, at))
  const apply = async (ctx: Ctx<Actor>) => {
    // A stream ends with the whole task: asked for along with the move, it costs no statement of its own.
    const withLogs = isTerminal(to) && ctx.bus.isHeard(taskSubject(id))
    const moved = await moveTask(ctx.db, { id, fence, to, events, now, output, error, withLogs })
    if (!moved) return undefined
    const { logs, ...row } = moved
    const whole = logs && isSeenAlike(row) ? streamedTaskDto(row, logs) : undefined
    reportStatus(ctx, row, { withOutput: output !== undefined, whole })
    if (isTerminal(to)) await settle(ctx, row)
    // The worker is free while the outputs are still being stored.
    else if (to === taskStatus.uploading) ctx.emit(queueNews('free'))
    return row
  }
  // A passing status is one statement, and so is an end that nothing waits for.
  if (!isTerminal(to)) return apply(ctx)
  const sent = takeSent(ctx, id)
  const ended = sent && { ...sent, status: to, output: output ?? sent.output, error: error ?? sent.error }
  const row = await (ended && !setsInMotion(ctx, ended) ? apply(ctx) : ctx.tx(apply))
  if (row && ctx.tracing.isOn) for (const span of spansOf(row)) ctx.tracing.record(span)
  return row
}

const requeueDelayMs = 250

/**
 * What a refusal says about the worker. A busy one is free when a heartbeat says so; one that the engine does not know
 * takes nothing until the engine connects again.
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

/** Whether all readers may see the same of it; otherwise each reads the end for itself. */
const isSeenAlike = (row: TaskRow): boolean => row.webhook === ''

/** Whether the end of this task changes more than the rows of the task and its worker. */
const setsInMotion = ({ extensions }: Ctx<Actor>, row: TaskRow): boolean =>
  row.webhook !== '' || extensions.listenersOf(taskEnded).some((listener) => listener.concerns(row))

/** What a finished task sets in motion, in the transaction that finishes it. */
const settle = async (ctx: Ctx<Actor>, row: TaskRow): Promise<void> => {
  if (row.webhook !== '') await queueWebhook(ctx, row)
  for (const listener of ctx.extensions.listenersOf(taskEnded)) if (listener.concerns(row)) await listener.run(ctx, row)
  ctx.emit(queueNews('free'))
}

/** Lists of runs show the first words of a failure; the whole is in the task. */
const longestReason = 500

export const reportStatus = (
  ctx: Ctx<Actor>,
  row: TaskRow,
  { withOutput = false, whole }: { withOutput?: boolean; whole?: object } = {},
): void => {
  const fields = {
    status: row.status,
    updated_at: row.updated_at,
    events: eventsOf(row),
    engine_id: row.engine_id,
    worker_id: row.worker_id,
    ...(row.error === '' ? {} : { error: row.error }),
  }
  report(ctx, row, { ...fields, ...(withOutput ? { output: row.output } : {}) }, { whole })
  const news = rowNews(
    'tasks',
    row,
    { ...fields, ...(fields.error && { error: fields.error.slice(0, longestReason) }) },
    'apps:read',
  )
  ctx.emit({ subject: teamSubject(row.team_id), data: news })
}

/** Tells streams of this task, and of the flow run it belongs to, which fields changed. */
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
