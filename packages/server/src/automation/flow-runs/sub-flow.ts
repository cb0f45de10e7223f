// Runs a flow as a node of another: a run of its own, represented by a task in the outer run.
import { insertTasks, nodeTask, representFlowRun } from '#execution/tasks/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import type { NodeRun } from './extension-points.ts'
import { create } from './new-run.ts'
import { maxFlowNodeLevels, placeInTree, specFor } from './start.ts'
import * as store from './store.ts'

/** Acts with the scopes of the outer run, which may have been started by a key with fewer. */
export const startSubFlow = (ctx: Ctx<Member>, node: NodeRun): Promise<void> =>
  ctx.tx(async (ctx) => {
    requireScope(ctx.actor, 'flows:execute')
    const spec = await specFor(ctx, {
      flowId: node.name,
      outerRunId: node.flowRunId,
      ...(node.versionId !== '' && { versionId: node.versionId }),
    })
    const outer = await store.findRun(ctx.db, node.flowRunId)
    const visibility = outer?.visibility ?? 'private'
    await insertTasks(ctx.db, [{ ...nodeTask(ctx, node, visibility), priced: spec.reservePrice !== undefined }])
    const rootRunId = await placeInTree(ctx, spec.cachedPlan, node.taskId, maxFlowNodeLevels)
    const { row } = await create(ctx, {
      ...spec,
      input: node.input,
      visibility: visibility as typeof spec.visibility,
      taskId: node.taskId,
      traceparent: node.traceparent,
      ...(rootRunId !== undefined && { rootRunId }),
    })
    await representFlowRun(ctx, node.taskId, row.id)
  })
