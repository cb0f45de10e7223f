// Creates a run: computes its first step before anything is written. A run that ends with that step needs one
// statement; otherwise its tasks are started in the transaction that writes it.
import type { Visibility } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { Grant } from '@millrace/contract/scopes'
import { taskStatus } from '@millrace/contract/task-status'
import { statusEvent } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { chanceOf, follow, taskEndings } from './drive.ts'
import { begin, type Progress, type ReusedNode } from './engine/advance.ts'
import { schemaFault } from './engine/input-schema.ts'
import { inputFault } from './engine/run-input.ts'
import { isRunOver, runStatusCode } from './engine/statuses.ts'
import { changedNodes } from './node-rows.ts'
import type { NodeRow, ShownNode } from './node-store.ts'
import type { CachedPlan } from './plans.ts'
import type { ReservePrice } from './price.ts'
import * as store from './store.ts'
import { runSlices } from './yielding.ts'

export type RunSpec = {
  cachedPlan: CachedPlan
  owner: { teamId: string; userId: string; grant: Grant }
  input: Record<string, unknown>
  failOnError: boolean
  visibility: Visibility
  webhook: string
  /** Empty if the flow is not deployed. */
  appId: string
  /** Omitted if the run is free, or paid for by the app whose task it represents. */
  reservePrice?: ReservePrice | undefined
  /** The existing task that represents the run. */
  taskId?: string
  /** The root run, if this run is a step of another. */
  rootRunId?: string
  triggerId?: string
  originRunId?: string
  reused?: readonly ReusedNode[]
  /** The trace of the run; by default that of the current call. */
  traceparent?: string
}

/** The weight of a run in its tree; without nodes it is 1, because it still has a row and a task. */
export const nodeCount = ({ plan }: CachedPlan): number => Math.max(1, plan.nodes.size)

export type Prepared = { id: string; taskId: string; spec: RunSpec; progress: Progress; endsAtOnce: boolean }

/** `nodes` are omitted if they would have to be read again. */
export type StartedRun = { row: store.RunRow; nodes?: ShownNode[] }

/** All checks that may refuse a run, and its first step. */
export const prepare = async (ctx: Ctx<Actor>, spec: RunSpec): Promise<Prepared> => {
  const { plan } = spec.cachedPlan
  const fault = spec.reused ? undefined : inputFault(plan, spec.input, schemaFault)
  if (fault !== undefined) throw fail('validation_error', fault)
  const id = newId()
  const slices = begin(
    plan,
    {
      input: spec.input,
      failOnError: spec.failOnError,
      ...(spec.originRunId !== undefined && { originRunId: spec.originRunId }),
      ...(spec.reused && { reused: spec.reused }),
    },
    chanceOf(ctx, id),
  )
  const progress = await runSlices(slices)
  // With nothing to start, no one to notify and nothing to pay, the run is written in its final state.
  const isPlain = spec.webhook === '' && spec.taskId === undefined && spec.reservePrice === undefined
  const endsAtOnce = isRunOver(progress.state.status) && isPlain
  return { id, taskId: spec.taskId ?? newId(), spec, progress, endsAtOnce }
}

export const create = async (ctx: Ctx<Actor>, spec: RunSpec): Promise<StartedRun> =>
  createPrepared(ctx, await prepare(ctx, spec))

export const createPrepared = async (ctx: Ctx<Actor>, prepared: Prepared): Promise<StartedRun> => {
  const [written] = prepared.endsAtOnce
    ? await writeRuns(ctx, [prepared])
    : [await ctx.tx((ctx) => writeAndFollow(ctx, prepared))]
  if (!written) throw new Error('a run was not written')
  return written
}

const writeAndFollow = async (ctx: Ctx<Actor>, prepared: Prepared): Promise<StartedRun> => {
  const { id, taskId, spec, progress } = prepared
  await spec.reservePrice?.(ctx, { taskId, input: spec.input, versionId: spec.cachedPlan.appVersionId })
  const [written] = await writeRuns(ctx, [prepared])
  if (!written) throw new Error('a run was not written')
  const { row } = written
  const driven = { run: row, plan: spec.cachedPlan.plan, state: progress.state, logLength: progress.events.length }
  const state = await follow(ctx, driven, progress)
  return state === progress.state ? written : { row: (await store.findRun(ctx.db, id)) ?? row }
}

/** One statement for any number of runs. */
export const writeRuns = async (ctx: Ctx<Actor>, prepared: readonly Prepared[]): Promise<StartedRun[]> => {
  const now = ctx.now().toISOString()
  const written = prepared.map((one) => {
    const nodes = changedNodes(one.spec.cachedPlan.plan, null, one.progress.state).map((row) => ({
      run_id: one.id,
      ...row,
    }))
    return { one, nodes, run: newRun(ctx, one, one.endsAtOnce ? nodes.map(withoutNulls) : null, now) }
  })
  await store.insertRuns(
    ctx.db,
    written.map(({ run }) => run),
    written.flatMap(({ one, nodes }) => (one.endsAtOnce ? [] : nodes)),
    prepared.map(({ id, progress }) => ({ run_id: id, seq: 1, events: progress.events, now })),
  )
  return written.map(({ run, nodes }) => ({ row: writtenRow(run), nodes }))
}

/** The compact form in the run's own row. */
const withoutNulls = ({ run_id: _run, ...row }: store.NewNode): Partial<NodeRow> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

const newRun = (
  ctx: Ctx<Actor>,
  { id, taskId, spec, progress, endsAtOnce }: Prepared,
  nodes: store.NewRun['nodes'],
  now: string,
): store.NewRun => {
  const { cachedPlan, owner } = spec
  const { state, events } = progress
  return {
    id,
    team_id: owner.teamId,
    user_id: owner.userId,
    visibility: spec.visibility,
    flow_id: cachedPlan.flowId,
    flow_version_id: cachedPlan.versionId,
    graph_version: cachedPlan.graphVersion,
    task_id: taskId,
    status: runStatusCode(state.status),
    input: spec.input,
    output: state.output ?? null,
    error: state.error ?? '',
    fail_on_error: spec.failOnError,
    origin_run_id: spec.originRunId ?? null,
    trigger_id: spec.triggerId ?? null,
    run_as: owner.grant,
    traceparent: spec.traceparent ?? ctx.origin.traceparent,
    log_length: events.length,
    now,
    is_over: isRunOver(state.status),
    nodes,
    ...(spec.rootRunId !== undefined && { root_run_id: spec.rootRunId, node_count: nodeCount(cachedPlan) }),
    ...newTask(spec, endsAtOnce ? taskEndings[state.status] : undefined, now),
  }
}

const newTask = (spec: RunSpec, ending: number | undefined, now: string) => {
  const statuses = [taskStatus.received, taskStatus.running, ...(ending === undefined ? [] : [ending])]
  return {
    makes_task: spec.taskId === undefined,
    task_status: ending ?? taskStatus.running,
    app_id: spec.appId,
    app_version_id: spec.appId === '' ? '' : spec.cachedPlan.appVersionId,
    function: spec.appId === '' ? '' : 'run',
    task_events: spec.taskId === undefined ? statuses.map((status) => statusEvent(status, now)) : [],
    webhook: spec.webhook,
    priced: spec.reservePrice !== undefined,
  }
}

/** The row as the database returns it, without a query: its times have microseconds. */
const writtenRow = (run: store.NewRun): store.RunRow => {
  const at = run.now.replace('Z', '000Z')
  return {
    ...run,
    metadata: {},
    event_seq: 1,
    started_at: at,
    finished_at: run.is_over ? at : null,
    cancelled_at: null,
    created_at: at,
    updated_at: at,
  }
}
