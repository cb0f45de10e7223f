// An app that is a flow runs inside the server: its task stands for the flow run, at once or from the time it was asked for.

import { taskStatus } from '@millrace/contract/task-status'
import { type Actor, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import type { JobHandler } from '#platform/jobs/jobs.ts'
import { failTask, lockStandIn, move, standForFlowRun, type TaskRow } from '../tasks/service.ts'
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
  return standForFlowRun(ctx, task.id, flowRunId)
}

export const beginFlowLater = (ctx: Ctx<Actor>, taskId: string, flowVersionId: string, runAt: Date): Promise<void> =>
  ctx.jobs.add(ctx.db, flowTaskJob, { task_id: taskId, flow_version_id: flowVersionId }, { runAt })

/** One that no longer waits has begun, or was cancelled meanwhile. */
export const beginDueFlow =
  (platform: Platform): JobHandler =>
  async (payload) => {
    const ctx = createCtx(platform, system)
    await ctx.tx(async (ctx) => {
      const task = await lockStandIn(ctx, String(payload.task_id))
      if (!task) return
      await move(ctx, task.id, { fence: null, to: taskStatus.running })
      // What a refused flow had brought about is undone with it, and the task says why.
      const begun = await ctx.tx((ctx) => beginFlow(ctx, task, String(payload.flow_version_id))).catch(refusalOnly)
      if (isFailure(begun)) await failTask(ctx, task.id, null, begun.message)
    })
  }
