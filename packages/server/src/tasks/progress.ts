// What a running task says while it runs: output so far and deltas; and an engine's refusal to run it at all.
import type { RejectReason } from '@millrace/contract/engine-frames'
import { taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { move, report, reportStatus, statusEvent } from './moves.ts'
import * as store from './store.ts'
import { taskSubject } from './subjects.ts'

/** False, like every report about a task here, when it is not this engine's: nothing happened then. */
export const setProgress = async (
  ctx: Ctx<Actor>,
  id: string,
  fence: store.Fence,
  output: unknown,
): Promise<boolean> => {
  const row = await store.setOutput(ctx.db, id, fence, output, ctx.now().toISOString())
  if (row) report(ctx, row, { output })
  return row !== undefined
}

/** Deltas are news only: they change no row and are not replayed. */
export const publishDelta = (ctx: Ctx<Actor>, id: string, seq: number, delta: unknown): void => {
  ctx.emit({ subject: taskSubject(id), data: { delta: { delta, seq } } })
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

export const rejectTask = async (
  ctx: Ctx<Actor>,
  id: string,
  fence: store.Fence,
  reason: RejectReason,
): Promise<boolean> => {
  const now = ctx.now()
  return ctx.tx(async (ctx) => {
    const event = statusEvent(taskStatus.queued, now.toISOString())
    const availableAt = new Date(now.getTime() + requeueDelayMs).toISOString()
    const row = await store.requeue(ctx.db, id, fence, event, availableAt)
    if (!row) return false
    await ctx.db
      .updateTable('workers')
      .set({ status: workerAfter[reason], task_id: null, updated_at: now.toISOString() })
      .where('task_id', '=', id)
      .execute()
    reportStatus(ctx, row)
    return true
  })
}

/** The server's own verdict on a task whose engine cannot give one. */
export const failTask = (ctx: Ctx<Actor>, id: string, attempt: number | null, error: string) =>
  move(ctx, id, { fence: attempt === null ? null : { attempt }, to: taskStatus.failed, error })
