// Executes the commands of a step: starts tasks, sets timers, cancels tasks. Cancelling uses a job, because a task must
// be locked before its run.
import { isRecord } from '@millrace/contract/json'
import { infras, type RunRequest } from '@millrace/contract/tasks'
import { startRuns } from '#execution/runs/service.ts'
import { flowRunTasksSubject, showTasksAs, taskKey } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { type RunOwner, runActor } from '#platform/core/run-actor.ts'
import { scopeRefusal } from '#platform/core/scope-checks.ts'
import type { Command, StartTask, TaskResult } from './engine/advance.ts'
import { startAgentNode } from './extension-points.ts'

export type StartingRun = RunOwner & { task_id: string; traceparent: string; visibility: string }

export const wakeJob = 'flow_runs.wake'
export const timeoutJob = 'flow_runs.timeout'
export const cancelTasksJob = 'flow_runs.cancel_tasks'

/** A task that cannot be started is added to `results` as a failure. */
export const execute = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  commands: readonly Command[],
  results: TaskResult[],
): Promise<void> => {
  await startAll(
    ctx,
    run,
    commands.filter((command) => command.type === 'start'),
    results,
  )
  for (const command of commands) {
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

/** The steps of a run belong to the trace of the task that represents the run. */
const traceWithin = (ctx: Ctx<Actor>, run: StartingRun): string =>
  ctx.tracing.within(run.traceparent, taskKey(run.task_id))

/** Nodes with the same app are started together: a wide fan needs one lookup and one statement. */
const startAll = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  commands: readonly StartTask[],
  results: TaskResult[],
): Promise<void> => {
  if (commands.length === 0) return
  const apps = commands.filter(({ agent }) => agent === undefined)
  for (const group of Map.groupBy(apps, targetKey).values()) await startGroup(ctx, run, group, results)
  for (const command of commands) if (command.agent) await startAgent(ctx, run, command, command.agent, results)
  ctx.emit({ subject: flowRunTasksSubject(run.id), data: { seq: 1 } })
}

const targetKey = ({ appId, appVersionId, function: name, infra, workers, setup }: StartTask): string =>
  JSON.stringify([appId, appVersionId, name, infra, workers, setup])

const startGroup = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  group: readonly StartTask[],
  results: TaskResult[],
): Promise<void> => {
  const [first] = group
  if (!first) return
  const actor = runActor(run)
  const traceparent = traceWithin(ctx, run)
  const refusal = scopeRefusal(actor, 'apps:execute')
  const request = refusal ? fail(refusal.code, refusal.detail) : targetOf(first)
  const started = isFailure(request)
    ? group.map(() => request)
    : await startRuns(
        ctx.as(actor),
        request,
        group.map(({ nodeId, taskId, input }) => ({
          input,
          origin: { id: taskId, flow_run_id: run.id, flow_node_id: nodeId, traceparent, visibility: run.visibility },
        })),
      )
  for (const [index, command] of group.entries()) {
    const outcome = started[index]
    if (isFailure(outcome)) refuse(command, outcome, results)
    else if (command.deadlineMs !== undefined) await setTimeLimit(ctx, run.id, command, command.deadlineMs)
  }
}

/** An agent node starts a run of the agent, which a task represents. */
const startAgent = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  command: StartTask,
  agent: NonNullable<StartTask['agent']>,
  results: TaskResult[],
): Promise<void> => {
  const [start] = ctx.extensions.listenersOf(startAgentNode)
  const { nodeId, taskId, input } = command
  const node = { ...agent, taskId, nodeId, flowRunId: run.id, input, traceparent: traceWithin(ctx, run) }
  const started = start
    ? await start(ctx.as(runActor(run)), node).catch(refusalOnly)
    : fail('invalid_state', 'Agents are not available on this server')
  if (isFailure(started)) return refuse(command, started, results)
  // Chats do not know the visibility of a flow run, so the task of the agent gets it here.
  await showTasksAs(ctx, { taskIds: [taskId] }, run.visibility)
  if (command.deadlineMs !== undefined) await setTimeLimit(ctx, run.id, command, command.deadlineMs)
}

const refuse = ({ nodeId, taskId }: StartTask, failure: Failure, results: TaskResult[]): void => {
  // Everything that a refused flow had started was rolled back with it.
  for (const [index, one] of [...results.entries()].reverse()) if (one.taskId === taskId) results.splice(index, 1)
  results.push({ nodeId, taskId, outcome: 'failed', error: failure.message, code: failure.code })
}

const setTimeLimit = (ctx: Ctx<Actor>, runId: string, { nodeId, taskId }: StartTask, deadlineMs: number) =>
  ctx.jobs.add(ctx.db, timeoutJob, { run_id: runId, node_id: nodeId, task_id: taskId }, { runAt: new Date(deadlineMs) })

const isInfra = (text: string): text is (typeof infras)[number] => infras.some((one) => one === text)

const targetOf = (command: StartTask): Omit<RunRequest, 'input'> | Failure => {
  const { appId, appVersionId, infra, workers, setup } = command
  if (infra !== '' && !isInfra(infra)) return fail('validation_error', `infra must be one of ${infras.join(', ')}`)
  return {
    ...(appId.includes('/') ? { app: appId } : { app_id: appId }),
    ...(appVersionId !== '' && { version_id: appVersionId }),
    ...(command.function !== '' && { function: command.function }),
    ...(infra !== '' && { infra }),
    ...(workers.length > 0 && { workers }),
    ...(isRecord(setup) && { setup }),
  }
}
