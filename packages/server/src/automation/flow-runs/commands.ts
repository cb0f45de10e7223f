// Executes the commands of a step: starts tasks and loops, sets timers, cancels tasks. Cancelling uses a job, because a
// task must be locked before its run.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { EngineCommand, TaskResult } from './engine/advance.ts'
import type { Plan } from './engine/plan.ts'
import { startLoop } from './loops.ts'
import { cancelTasksJob, type StartingRun, startTasks } from './start-tasks.ts'

export const wakeJob = 'flow_runs.wake'

/** A task that cannot be started, and a loop that ends at once, are added to `results`. */
export const execute = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  plan: Plan,
  commands: readonly EngineCommand[],
  results: TaskResult[],
): Promise<void> => {
  const starts = commands.filter((command) => command.type === 'start')
  await startTasks(ctx, run, starts, ({ nodeId, taskId }, failure) => {
    // Everything that a refused flow had started was rolled back with it.
    for (const [index, one] of [...results.entries()].reverse()) if (one.taskId === taskId) results.splice(index, 1)
    results.push({ nodeId, taskId, outcome: 'failed', error: failure.message, code: failure.code })
  })
  for (const command of commands) {
    if (command.type === 'loop') results.push(...(await startLoop(ctx, run, plan, command)))
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
