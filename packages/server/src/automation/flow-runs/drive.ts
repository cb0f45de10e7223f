// Drives a run through a step: the pure engine computes what happens, this file stores it and starts the tasks, in the
// transaction of the step. Rows are always locked in the order node task, run, parent task.
import { newId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import { move } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perTransaction } from '#platform/core/per-transaction.ts'
import type { Db } from '#platform/db/database.ts'
import { execute } from './commands.ts'
import { advance, type Chance, type Progress, type TaskResult } from './engine/advance.ts'
import { outputsToLoad } from './engine/outputs-to-load.ts'
import type { Plan } from './engine/plan.ts'
import type { RunState } from './engine/state.ts'
import { isRunOver, runStatusCode } from './engine/statuses.ts'
import { changedNodes, toRunState, unreadAmong, withResults } from './node-rows.ts'
import { findResults } from './node-store.ts'
import { loadPlan } from './plans.ts'
import { resumeUrl } from './resume-url.ts'
import * as store from './store.ts'
import { flowRunSubject } from './subjects.ts'
import { runSlices } from './yielding.ts'

/** The fields of a run that do not change while it is locked, and the length of its log. */
export type LockedRun = {
  run: Pick<store.RunRow, 'id' | 'team_id' | 'user_id' | 'visibility' | 'task_id' | 'run_as' | 'traceparent'>
  plan: Plan
  state: RunState
  logLength: number
}

export type StepOf = (plan: Plan, state: RunState, chance: Chance) => Progress | Promise<Progress>

export const chanceOf = (ctx: Ctx<Actor>, runId: string): Chance => ({
  nowMs: ctx.now().getTime(),
  random: Math.random,
  newTaskId: newId,
  urlOf: (nodeId) => resumeUrl(ctx, runId, nodeId),
})

/**
 * Runs that are being driven in a transaction, with results that arrive meanwhile: an app that is itself a flow may
 * complete before the call that started it returns.
 */
const drivenRuns = perTransaction(() => new Map<string, TaskResult[]>())

/** Continues a run after one of its tasks has ended, in the same transaction. */
export const applyResult = async (ctx: Ctx<Actor>, runId: string, result: TaskResult): Promise<void> => {
  const waiting = drivenRuns(ctx).get(runId)
  if (waiting) waiting.push(result)
  else
    await resume(ctx, runId, { finished: [result.nodeId] }, (plan, state, chance) =>
      runSlices(advance(plan, state, [result], chance)),
    )
}

/** The nodes of the step, which determine what must be loaded. */
export type StepNodes = { finished?: readonly string[]; startedAgain?: readonly string[] }

/** Applies a step to an existing run. Undefined if the run does not exist or is over. */
export const resume = async (
  ctx: Ctx<Actor>,
  runId: string,
  stepNodes: StepNodes,
  step: StepOf,
): Promise<RunState | undefined> => {
  const found = await store.lockRun(ctx.db, runId)
  if (!found || found.run.status > runStatusCode('running')) return undefined
  const { run, nodes } = found
  const { plan } = await loadPlan(ctx.db, run.flow_version_id, run.graph_version)
  const state = await readResults(ctx.db, run.id, plan, toRunState(plan, run, nodes), stepNodes)
  return drive(ctx, { run, plan, state, logLength: run.log_length }, step)
}

/** The same state with the results that the step may read. */
const readResults = async (
  db: Db,
  runId: string,
  plan: Plan,
  state: RunState,
  { finished = [], startedAgain = [] }: StepNodes,
): Promise<RunState> => {
  const known = startedAgain.filter((id) => plan.nodes.has(id))
  const missing = unreadAmong(state, outputsToLoad(plan, state, finished, known))
  return missing.length === 0 ? state : withResults(plan, state, await findResults(db, runId, missing))
}

const drive = async (ctx: Ctx<Actor>, locked: LockedRun, step: StepOf): Promise<RunState> => {
  const progress = await step(locked.plan, locked.state, chanceOf(ctx, locked.run.id))
  if (progress.events.length === 0) return locked.state
  await save(ctx, locked, progress)
  return follow(
    ctx,
    { ...locked, state: progress.state, logLength: locked.logLength + progress.events.length },
    progress,
  )
}

/** Executes the commands of a stored step, and the steps that follow at once. */
export const follow = async (ctx: Ctx<Actor>, locked: LockedRun, first: Progress): Promise<RunState> => {
  const { run, plan } = locked
  const results: TaskResult[] = []
  drivenRuns(ctx).set(run.id, results)
  let { state, logLength } = locked
  try {
    await execute(ctx, run, plan, first.commands, results)
    while (results.length > 0) {
      const taken = results.splice(0)
      state = await readResults(ctx.db, run.id, plan, state, { finished: taken.map((one) => one.nodeId) })
      const progress = await runSlices(advance(plan, state, taken, chanceOf(ctx, run.id)))
      if (progress.events.length === 0) continue
      await save(ctx, { run, plan, state, logLength }, progress)
      state = progress.state
      logLength += progress.events.length
      await execute(ctx, run, plan, progress.commands, results)
    }
  } finally {
    drivenRuns(ctx).delete(run.id)
  }
  if (isRunOver(state.status)) await endParent(ctx, run.task_id, state)
  return state
}

const save = async (ctx: Ctx<Actor>, { run, plan, state, logLength }: LockedRun, progress: Progress): Promise<void> => {
  const { state: after, events } = progress
  const seq = await store.saveStep(ctx.db, {
    runId: run.id,
    status: runStatusCode(after.status),
    output: after.output ?? null,
    error: after.error ?? '',
    isOver: isRunOver(after.status),
    isCancelled: after.status === 'cancelled',
    seq: logLength + 1,
    events,
    nodes: changedNodes(plan, state, after),
    now: ctx.now().toISOString(),
  })
  ctx.emit({ subject: flowRunSubject(run.id), data: { seq } })
}

/** The status of the task that represents a run, by the status of the run. */
export const taskEndings: Partial<Record<RunState['status'], number>> = {
  completed: taskStatus.completed,
  failed: taskStatus.failed,
  cancelled: taskStatus.cancelled,
}

const endParent = async (ctx: Ctx<Actor>, taskId: string, state: RunState): Promise<void> => {
  const to = taskEndings[state.status]
  if (to === undefined) return
  await move(ctx, taskId, {
    fence: null,
    to,
    ...(state.output && { output: state.output }),
    ...(state.error !== undefined && { error: state.error }),
  })
}
