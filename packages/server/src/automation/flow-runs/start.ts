// Starts runs: by an operation, by a trigger, for the task of an app that is a flow, and as a rerun.
import type { Visibility } from '@millrace/contract/common'
import type { CreateFlowRun, FlowRun, RerunFlowRun } from '@millrace/contract/flow-runs'
import { type Grant, runAs } from '@millrace/contract/scopes'
import { requirePolicy } from '#accounts/usage-policies/service.ts'
import type { FlowTask } from '#execution/runs/extension-points.ts'
import { webhookOf } from '#execution/runs/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { assertReadable, assertRunnable } from '#platform/tenancy/private-access.ts'
import { findFlowForTarget, flowOfRun, frozenVersion, versionForRun } from '../flows/service.ts'
import { flowRunDto } from './dto.ts'
import { planRerun } from './engine/rerun.ts'
import { isRunOver } from './engine/statuses.ts'
import {
  create,
  createPrepared,
  nodeCount,
  type Prepared,
  prepare,
  type RunSpec,
  type StartedRun,
  writeRuns,
} from './new-run.ts'
import { toRunState } from './node-rows.ts'
import { findShownNodes, loadAllNodes } from './node-store.ts'
import { type CachedPlan, loadPlan, publishedPlan } from './plans.ts'
import { priceOfFlow } from './price.ts'
import * as store from './store.ts'

export type StartFlowRun = {
  /** Id, short id or ref. */
  flowId: string
  versionId?: string
  failOnError?: boolean
  visibility?: Visibility
  webhook?: string
  triggerId?: string
  /** The flow run of which this one is a step. */
  outerRunId?: string
}

const ownerOf = ({ teamId, userId, grant }: Member): RunSpec['owner'] => ({ teamId, userId, grant: runAs(grant) })

const planOf = (ctx: Ctx<Actor>, version: { id: string; graphVersion: number }) =>
  loadPlan(ctx.db, version.id, version.graphVersion)

/** The common part of runs of this flow by this actor. */
export const specFor = async (ctx: Ctx<Member>, request: StartFlowRun): Promise<Omit<RunSpec, 'input'>> => {
  const webhook = webhookOf(request.webhook)
  const flow = await findFlowForTarget(ctx, request.flowId)
  await requirePolicy(ctx, 'flows', flow)
  const published = request.versionId ? undefined : publishedPlan(flow.published_version_id ?? '')
  return {
    cachedPlan: published ?? (await planOf(ctx, await versionForRun(ctx.db, flow, request.versionId))),
    owner: ownerOf(ctx.actor),
    failOnError: request.failOnError ?? true,
    visibility: request.visibility ?? 'team',
    webhook,
    appId: flow.app_id ?? '',
    reservePrice: await priceOfFlow(ctx, flow.app_id, request.outerRunId ? { flow_run_id: request.outerRunId } : {}),
    ...(request.triggerId !== undefined && { triggerId: request.triggerId }),
  }
}

type Input = Record<string, unknown>

/** Starts a run of a flow that the actor may run, as that actor. */
export const startFlowRun = async (
  ctx: Ctx<Member>,
  { input, ...request }: StartFlowRun & { input: Input },
): Promise<store.RunRow> => (await create(ctx, { ...(await specFor(ctx, request)), input })).row

/**
 * Starts several runs of one flow: returns for each the run or its refusal, which does not affect the others. Runs that
 * complete at once are written by one statement. Must run in the caller's transaction.
 */
export const startFlowRuns = async (
  ctx: Ctx<Member>,
  request: StartFlowRun,
  runs: readonly Pick<RunSpec, 'input' | 'traceparent'>[],
): Promise<(store.RunRow | Failure)[]> => {
  const spec = await specFor(ctx, request).catch(refusalOnly)
  if (isFailure(spec)) return runs.map(() => spec)
  const started = new Map<number, store.RunRow | Failure>()
  const ended: [index: number, Prepared][] = []
  for (const [index, run] of runs.entries()) {
    try {
      const prepared = await prepare(ctx, { ...spec, ...run })
      if (prepared.endsAtOnce) ended.push([index, prepared])
      else started.set(index, (await createPrepared(ctx, prepared)).row)
    } catch (error) {
      started.set(index, refusalOnly(error))
    }
  }
  if (ended.length > 0) {
    const written = await writeRuns(
      ctx,
      ended.map(([, prepared]) => prepared),
    )
    for (const [position, { row }] of written.entries()) started.set(ended[position]?.[0] ?? 0, row)
  }
  return [...started].sort(([a], [b]) => a - b).map(([, run]) => run)
}

const answer = async (ctx: Ctx<Actor>, { row, nodes }: StartedRun): Promise<FlowRun> =>
  flowRunDto(row, nodes ?? (await findShownNodes(ctx.db, [row.id])))

export const createFlowRun = async (ctx: Ctx<Member>, body: CreateFlowRun): Promise<FlowRun> => {
  const spec = await specFor(ctx, {
    flowId: body.flow,
    versionId: body.version_id,
    failOnError: body.fail_on_error,
    visibility: body.visibility,
    webhook: body.webhook,
  })
  return answer(ctx, await create(ctx, { ...spec, input: body.input }))
}

const maxLevels = 16
/** For flow nodes; apps that are flows may be nested more deeply. */
export const maxFlowNodeLevels = 8

/**
 * With steps that are flows, the number of runs of one request grows exponentially with the depth, and all runs that
 * complete at once share one transaction. These limits allow a graph of a thousand nodes in which each is a flow that
 * contains a flow, or ten graphs of a thousand nodes; more work should be started as several runs.
 */
const maxBelow = { runs: 2_000, nodes: 10_000 } as const

/**
 * Returns the root run, if any, and enforces the limits. A flow that contains itself would never end. Concurrent steps
 * of one tree do not see each other: together they may exceed the limits by what each of them starts, after which none
 * starts more.
 */
export const placeInTree = async (
  ctx: Ctx<Actor>,
  cachedPlan: CachedPlan,
  taskId: string,
  levels = maxLevels,
): Promise<string | undefined> => {
  const around = await store.findTaskContext(ctx.db, taskId, maxLevels)
  if (!around) return undefined
  const { flowIds, rootRunId, runsBelow, nodesBelow } = around
  if (flowIds.includes(cachedPlan.flowId)) throw fail('invalid_state', 'A flow cannot be a step of itself')
  if (flowIds.length >= levels) throw fail('invalid_state', `Flows are nested more than ${levels} levels`)
  if (runsBelow >= maxBelow.runs)
    throw fail('invalid_state', `One run may contain at most ${maxBelow.runs} runs of flows`)
  if (nodesBelow + nodeCount(cachedPlan) > maxBelow.nodes)
    throw fail('invalid_state', `The flows in one run may have at most ${maxBelow.nodes} nodes together`)
  return rootRunId
}

/**
 * The run for the task of an app that is a flow, in the transaction that creates the task and with the task's
 * visibility.
 */
export const startRunOfTask = async (ctx: Ctx<Actor>, task: FlowTask): Promise<string> => {
  const cachedPlan = await planOf(ctx, await frozenVersion(ctx.db, task.flowVersionId))
  const rootRunId = await placeInTree(ctx, cachedPlan, task.id)
  const visibility = await store.visibilityOfTask(ctx.db, task.id)
  const { row } = await create(ctx, {
    cachedPlan,
    owner: { teamId: task.teamId, userId: task.userId, grant: task.runAs as Grant },
    input: task.input,
    failOnError: true,
    visibility: (visibility ?? 'private') as Visibility,
    webhook: '',
    appId: '',
    taskId: task.id,
    traceparent: task.traceparent,
    ...(rootRunId !== undefined && { rootRunId }),
  })
  return row.id
}

/** A new run that reuses the results of an earlier one up to its start. */
export const rerun = async (ctx: Ctx<Member>, id: string, body: RerunFlowRun): Promise<FlowRun> => {
  const origin = await assertReadable(ctx, await store.findRun(ctx.db, id), 'flow run')
  const flow = await flowOfRun(ctx.db, origin)
  // The remains of a deleted flow belong to the workspace that ran it.
  if (flow || origin.team_id !== ctx.actor.teamId) assertRunnable(ctx, flow, 'flow')
  if (flow) await requirePolicy(ctx, 'flows', flow)
  const cachedPlan = await loadPlan(ctx.db, origin.flow_version_id, origin.graph_version)
  const state = toRunState(cachedPlan.plan, origin, await loadAllNodes(ctx.db, origin.id))
  if (!isRunOver(state.status)) throw fail('invalid_state', 'The run is not over yet')
  const planned = planRerun(cachedPlan.plan, state, body.node_id)
  if ('error' in planned) throw fail('validation_error', planned.error)
  const started = await create(ctx, {
    cachedPlan,
    owner: ownerOf(ctx.actor),
    input: state.input,
    failOnError: state.failOnError,
    // The visibility in another workspace is not copied.
    visibility: origin.team_id === ctx.actor.teamId ? (origin.visibility as Visibility) : 'team',
    webhook: '',
    appId: flow?.app_id ?? '',
    reservePrice: flow && (await priceOfFlow(ctx, flow.app_id, {})),
    originRunId: origin.id,
    reused: planned.reused,
  })
  return answer(ctx, started)
}
