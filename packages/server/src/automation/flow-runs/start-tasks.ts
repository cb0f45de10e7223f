// Starts the tasks of nodes: of apps, and of agents and flows through their extension points.
import { isRecord } from '@millrace/contract/json'
import { infras, type RunRequest } from '@millrace/contract/tasks'
import { startRuns } from '#execution/runs/service.ts'
import { flowRunTasksSubject, showTasksAs, taskKey } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { type RunOwner, runActor } from '#platform/core/run-actor.ts'
import { scopeRefusal } from '#platform/core/scope-checks.ts'
import type { StartTask } from './engine/start-task.ts'
import { startAgentNode, startFlowNode } from './extension-points.ts'

export type StartingRun = RunOwner & { task_id: string; traceparent: string; visibility: string }

export const timeoutJob = 'flow_runs.timeout'
export const cancelTasksJob = 'flow_runs.cancel_tasks'

/** Receives the tasks that cannot be started. */
export type Refuse = (command: StartTask, failure: Failure) => void

/** The steps of a run belong to the trace of the task that represents the run. */
const traceWithin = (ctx: Ctx<Actor>, run: StartingRun): string =>
  ctx.tracing.within(run.traceparent, taskKey(run.task_id))

/** Nodes with the same app are started together: a wide fan-out needs one lookup and one statement. */
export const startTasks = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  commands: readonly StartTask[],
  refuse: Refuse,
): Promise<void> => {
  if (commands.length === 0) return
  const apps = commands.filter(({ agent, flow }) => agent === undefined && flow === undefined)
  for (const group of Map.groupBy(apps, targetKey).values()) await startGroup(ctx, run, group, refuse)
  for (const command of commands) {
    const { agent, flow } = command
    if (agent) await startInner(ctx, run, command, { ...agent, point: startAgentNode }, refuse)
    if (flow) await startInner(ctx, run, command, { ...flow, point: startFlowNode }, refuse)
  }
  ctx.emit({ subject: flowRunTasksSubject(run.id), data: { seq: 1 } })
}

const targetKey = ({ appId, appVersionId, function: name, infra, workers, setup }: StartTask): string =>
  JSON.stringify([appId, appVersionId, name, infra, workers, setup])

const startGroup = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  group: readonly StartTask[],
  refuse: Refuse,
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
        group.map(({ nodeId, taskId, input, item }) => ({
          input,
          origin: {
            id: taskId,
            flow_run_id: run.id,
            flow_node_id: nodeId,
            ...(item !== undefined && { flow_item: item }),
            traceparent,
            visibility: run.visibility,
          },
        })),
      )
  for (const [index, command] of group.entries()) {
    const outcome = started[index]
    if (isFailure(outcome)) refuse(command, outcome)
    else if (command.deadlineMs !== undefined) await setTimeLimit(ctx, run.id, command, command.deadlineMs)
  }
}

/** The agent or flow of a node. */
type Inner = { name: string; versionId: string; point: typeof startAgentNode | typeof startFlowNode }

/** Starts a run of an agent or a flow, which a task represents. */
const startInner = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  command: StartTask,
  { name, versionId, point }: Inner,
  refuse: Refuse,
): Promise<void> => {
  const [start] = ctx.extensions.listenersOf(point)
  const { nodeId, taskId, input, item = null } = command
  const traceparent = traceWithin(ctx, run)
  const node = { name, versionId, taskId, nodeId, item, flowRunId: run.id, input, traceparent }
  const started = start
    ? await start(ctx.as(runActor(run)), node).catch(refusalOnly)
    : fail('invalid_state', 'Agents are not available on this server')
  if (isFailure(started)) return refuse(command, started)
  // Chats do not know the visibility of a flow run, so the task of the agent gets it here.
  if (command.agent) await showTasksAs(ctx, { taskIds: [taskId] }, run.visibility)
  if (command.deadlineMs !== undefined) await setTimeLimit(ctx, run.id, command, command.deadlineMs)
}

const setTimeLimit = (ctx: Ctx<Actor>, runId: string, { nodeId, taskId, item }: StartTask, deadlineMs: number) =>
  ctx.jobs.add(
    ctx.db,
    timeoutJob,
    { run_id: runId, node_id: nodeId, task_id: taskId, ...(item !== undefined && { item }) },
    { runAt: new Date(deadlineMs) },
  )

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
