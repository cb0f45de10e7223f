// What a step of a run asks for: tasks to start, timers to set, tasks to cancel. Cancelling waits for a job of its own,
// because a task is locked before its run and not after it.
import { isRecord } from '@millrace/contract/json'
import { refuseScope } from '@millrace/contract/scopes'
import { infras, type RunRequest } from '@millrace/contract/tasks'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { Failure } from '../core/errors.ts'
import { type RunOwner, runActor } from '../core/run-actor.ts'
import { flowRunTasksSubject, startRun } from '../tasks/service.ts'
import type { Command, StartTask, TaskResult } from './engine/advance.ts'

export const wakeJob = 'flow_runs.wake'
export const timeoutJob = 'flow_runs.timeout'
export const cancelTasksJob = 'flow_runs.cancel_tasks'

/** A task that cannot be started is a result like any other and goes to `results`. */
export const execute = async (
  ctx: Ctx<Actor>,
  run: RunOwner,
  commands: readonly Command[],
  results: TaskResult[],
): Promise<void> => {
  for (const command of commands) {
    if (command.type === 'start') await start(ctx, run, command, results)
    if (command.type === 'wake')
      await ctx.jobs.add(
        ctx.db,
        wakeJob,
        { run_id: run.id, node_id: command.nodeId },
        { runAt: new Date(command.atMs), key: `${wakeJob}:${run.id}:${command.nodeId}` },
      )
  }
  if (commands.some((command) => command.type === 'cancel'))
    await ctx.jobs.add(ctx.db, cancelTasksJob, { run_id: run.id })
}

const start = async (ctx: Ctx<Actor>, run: RunOwner, command: StartTask, results: TaskResult[]): Promise<void> => {
  const { nodeId, taskId, deadlineMs } = command
  const actor = runActor(run)
  try {
    const refusal = refuseScope(actor.grant, 'apps:execute', actor)
    if (refusal) throw new Failure(refusal.code, { detail: refusal.detail })
    const origin = { id: taskId, flow_run_id: run.id, flow_node_id: nodeId }
    const task = await startRun(ctx.as(actor), requestOf(command), origin)
    ctx.emit({ subject: flowRunTasksSubject(run.id), data: { seq: task.event_seq } })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Whatever the attempt had brought about was undone with it.
    for (const [index, one] of [...results.entries()].reverse()) if (one.taskId === taskId) results.splice(index, 1)
    results.push({ nodeId, taskId, outcome: 'failed', error: error.message })
    return
  }
  if (deadlineMs !== undefined)
    await ctx.jobs.add(
      ctx.db,
      timeoutJob,
      { run_id: run.id, node_id: nodeId, task_id: taskId },
      { runAt: new Date(deadlineMs) },
    )
}

const isInfra = (text: string): text is (typeof infras)[number] => infras.some((one) => one === text)

const requestOf = (command: StartTask): RunRequest => {
  const { appId, appVersionId, infra, workers, setup, input } = command
  if (infra !== '' && !isInfra(infra))
    throw new Failure('validation_error', { detail: `infra must be one of ${infras.join(', ')}` })
  return {
    ...(appId.includes('/') ? { app: appId } : { app_id: appId }),
    ...(appVersionId !== '' && { version_id: appVersionId }),
    ...(command.function !== '' && { function: command.function }),
    ...(infra !== '' && { infra }),
    ...(workers.length > 0 && { workers }),
    ...(isRecord(setup) && { setup }),
    input,
  }
}
