// A flow-backed app runs inside the server: its task represents the flow run, which starts immediately or at `run_at`.

import { taskStatus } from '@millrace/contract/task-status'
import { type Actor, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import type { JobHandler } from '#platform/jobs/jobs.ts'
import { failTask, lockRepresentingTask, move, representFlowRun, type TaskRow } from '../tasks/service.ts'
import { startFlowTask } from './extension-points.ts'

export const flowTaskJob = 'runs.flow_task'

export const beginFlow = async (ctx: Ctx<Actor>, task: TaskRow, flowVersionId: string): Promise<TaskRow> => {
  const [start] = ctx.extensions.listenersOf(startFlowTask)
  if (!start) throw fail('invalid_state', 'Flows are not available on this server')
  const flowRunId = await start(ctx, {
    id: task.id,
    teamId: task.team_id,
    userId: task.user_id,
    flowVersionId,
    input: task.input as Record<string, unknown>,
    runAs: task.run_as,
    traceparent: task.traceparent,
  })
  return representFlowRun(ctx, task.id, flowRunId)
}

export const beginFlowLater = (ctx: Ctx<Actor>, taskId: string, flowVersionId: string, runAt: Date): Promise<void> =>
  ctx.jobs.add(ctx.db, flowTaskJob, { task_id: taskId, flow_version_id: flowVersionId }, { runAt })

/** A task that is no longer queued has started or was canceled. */
export const beginDueFlow =
  (platform: Platform): JobHandler =>
  async (payload) => {
    const ctx = createCtx(platform, system)
    await ctx.tx(async (ctx) => {
      const task = await lockRepresentingTask(ctx, String(payload.task_id))
      if (!task) return
      await move(ctx, task.id, { fence: null, to: taskStatus.running })
      // The nested transaction rolls back the effects of a refused flow; the task keeps the reason.
      const begun = await ctx.tx((ctx) => beginFlow(ctx, task, String(payload.flow_version_id))).catch(refusalOnly)
      if (isFailure(begun)) await failTask(ctx, task.id, null, begun.message)
    })
  }
