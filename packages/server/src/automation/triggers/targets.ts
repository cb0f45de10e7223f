// The actions of triggers: how each finds its target when a trigger is created, and starts it when the trigger fires.
import type { Scope } from '@millrace/contract/scopes'
import type { TriggerAction } from '@millrace/contract/triggers'
import { getApp } from '#execution/apps/service.ts'
import { startRuns } from '#execution/runs/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { hasScope } from '#platform/core/scope-checks.ts'
import { startFlowRuns } from '../flow-runs/service.ts'
import { findFlowForTarget, pinnedVersion } from '../flows/service.ts'
import { type TriggerTarget, triggerAction } from './extension-points.ts'
import type { MappedInput } from './input-mapping.ts'
import type { TriggerRow } from './store.ts'

export type RunInput = Extract<MappedInput, { ok: true }>

export type StartedTarget = { taskId?: string; flowRunId?: string; chatId?: string }

type Action = {
  /** The scope that the recorded grant must include when the trigger fires. */
  readonly scope: Scope | null
  /** The scope for the schemas of the target. */
  readonly readScope: Scope
  /** Throws `not_found` unless the actor may run it. */
  find(ctx: Ctx<Member>, id: string): Promise<TriggerTarget>
  /** Returns one outcome for each input. */
  start(ctx: Ctx<Member>, trigger: TriggerRow, fires: readonly StartedFire[]): Promise<(StartedTarget | Failure)[]>
}

export type StartedFire = { readonly id: string; readonly input: RunInput; readonly traceparent: string }

const runApp: Action = {
  scope: 'apps:execute',
  readScope: 'apps:read',
  find: async (ctx, id) => {
    const app = await getApp(ctx, id)
    // An administrator can see a member's private app, but only its owner can run it.
    if (app.visibility === 'private' && app.user_id !== ctx.actor.userId) throw fail('not_found', 'App not found')
    return { id: app.id, input_schema: app.version?.input_schema, output_schema: app.version?.output_schema }
  },
  start: async (ctx, trigger, fires) => {
    const runs = fires.map(({ id, input, traceparent }) => ({
      input: { ...input.input },
      metadata: { trigger_id: trigger.id, trigger_fire_id: id },
      origin: { traceparent },
    }))
    const tasks = await startRuns(ctx, { app_id: trigger.app_id ?? '' }, runs)
    return tasks.map((task) => (isFailure(task) ? task : { taskId: task }))
  },
}

const runFlow: Action = {
  scope: 'flows:execute',
  readScope: 'flows:read',
  find: async (ctx, id) => {
    const flow = await findFlowForTarget(ctx, id)
    const graph = await graphOf(ctx, flow)
    return { id: flow.id, input_schema: graph?.input_schema, output_schema: graph?.output_schema }
  },
  start: async (ctx, trigger, fires) => {
    const flowId = trigger.flow_id ?? ''
    const inputNode = fires.some(({ input }) => isMixed(input)) ? await inputNodeOf(ctx, flowId) : undefined
    const inputs = fires.map(({ input, traceparent }) => ({ input: flowInput(input, inputNode), traceparent }))
    const runs = await startFlowRuns(ctx, { flowId, triggerId: trigger.id }, inputs)
    return runs.map((run) => (isFailure(run) ? run : { flowRunId: run.id }))
  },
}

/** Apps and flows are actions of this feature; the feature that owns agents provides theirs. */
export const actionOf = ({ extensions }: Pick<Ctx<Actor>, 'extensions'>, action: TriggerAction): Action => {
  if (action === 'run_app') return runApp
  if (action === 'run_flow') return runFlow
  const provider = extensions.listenersOf(triggerAction).find((provider) => provider.action === action)
  if (!provider) throw fail('invalid_state', `This server has no action ${action}`)
  return provider
}

const graphOf = async (ctx: Ctx<Member>, flow: Awaited<ReturnType<typeof findFlowForTarget>>) => {
  const id = flow.published_version_id ?? flow.draft_version_id
  return (await pinnedVersion(ctx.db, id))?.graph
}

const isEmpty = (values: object): boolean => Object.keys(values).length === 0
const isMixed = ({ input, nodes }: RunInput): boolean => !isEmpty(input) && !isEmpty(nodes)

/** A run accepts flat values or values per node. If a mapping has both, the flat ones belong to the input node. */
const flowInput = ({ input, nodes }: RunInput, inputNode: string | undefined): Record<string, unknown> => {
  if (isEmpty(nodes)) return { ...input }
  return { ...(inputNode !== undefined && !isEmpty(input) ? { [inputNode]: input } : {}), ...nodes }
}

/** A deleted flow has no input node; starting it reports the error. */
const inputNodeOf = async (ctx: Ctx<Member>, flowId: string): Promise<string | undefined> => {
  const flow = await findFlowForTarget(ctx, flowId).catch(refusalOnly)
  const graph = isFailure(flow) ? undefined : await graphOf(ctx, flow)
  return graph?.nodes.find(({ type }) => type === 'inputNode')?.id
}

/** True if the caller may see the schemas of the target. */
export const showsSchemas = (ctx: Ctx<Member>, action: TriggerAction): boolean =>
  hasScope(ctx.actor, actionOf(ctx, action).readScope)
