// Cancellation: immediate while a task is queued, through the engine once the task was sent, and ignored when the work
// is already done.

import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { cancelFlowRunOfTask } from './extension-points.ts'
import { move } from './moves.ts'
import type { TaskRow } from './row.ts'
import * as store from './store.ts'
import { engineFrames } from './subjects.ts'

export const cancelTimeoutMsDefault = 10_000
/** How long after the cancellation timeout an engine may stay silent before the server ends the task itself. */
const forceAfterMs = 5_000

export const cancelRow = (
  ctx: Ctx<Actor>,
  id: string,
  options: { force?: boolean; timeoutMs?: number; reason?: string } = {},
): Promise<TaskRow> =>
  ctx.tx(async (ctx) => {
    // Locks the queued task, so that no flow run can start for it while it is being canceled.
    await store.lockQueuedTask(ctx.db, id)
    // The flow run is locked before the task that represents it: the end of a node takes its locks in the same order.
    const flowRunId = await store.subFlowRunOf(ctx.db, id)
    if (flowRunId !== null)
      for (const cancel of ctx.extensions.listenersOf(cancelFlowRunOfTask)) await cancel(ctx, flowRunId)
    const row = await store.lockTask(ctx.db, id)
    if (!row) throw new Error(`Task ${id} disappeared while it was being canceled`)
    if (isTerminal(row.status) || row.status === taskStatus.uploading) return row
    if (row.status <= taskStatus.queued || row.engine_id === null)
      return (await move(ctx, id, { fence: null, to: taskStatus.cancelled, error: options.reason })) ?? row
    const { force = false, timeoutMs = cancelTimeoutMsDefault } = options
    const task = { id, attempt: row.attempt }
    const deadline = new Date(ctx.now().getTime() + (force ? 0 : timeoutMs) + forceAfterMs).toISOString()
    await store.setCancelDeadline(ctx.db, id, deadline)
    ctx.emit({
      subject: engineFrames(row.engine_id),
      data: { type: 'task_cancel', data: { task, force, timeout: timeoutMs } },
    })
    if (row.status === taskStatus.cancelling) return { ...row, cancel_deadline: deadline }
    return (await move(ctx, id, { fence: null, to: taskStatus.cancelling, error: options.reason })) ?? row
  })

/** Canceled tasks whose engine did not answer in time: the engine is notified once more and the task ends here. */
export const forceCancelOverdue = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const task of await store.overdueCancels(ctx.db, ctx.now().toISOString()).execute())
    await ctx.tx(async (ctx) => {
      const ended = await move(ctx, task.id, { fence: { attempt: task.attempt }, to: taskStatus.cancelled })
      if (ended && task.engine_id !== null)
        ctx.emit({
          subject: engineFrames(task.engine_id),
          data: { type: 'task_force_cancel', data: { task: { id: task.id, attempt: task.attempt } } },
        })
    })
}
