// Continues a loop when one of its items ends or is due. Called in the transaction of the event.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { applyResult } from './drive.ts'
import { runStatusCode } from './engine/statuses.ts'
import { driveLoop, drivenEvents, type LoopEvent } from './loops.ts'
import { loadPlan } from './plans.ts'
import { lockRunRow, touchRun } from './store.ts'
import { flowRunSubject } from './subjects.ts'

export const applyLoopEvents = async (
  ctx: Ctx<Actor>,
  runId: string,
  nodeId: string,
  events: LoopEvent[],
): Promise<void> => {
  const current = drivenEvents(ctx, { runId, nodeId })
  if (current) {
    current.push(...events)
    return
  }
  const run = await lockRunRow(ctx.db, runId)
  if (!run || run.status > runStatusCode('running')) return
  const { plan } = await loadPlan(ctx.db, run.flow_version_id, run.graph_version)
  const results = await driveLoop(ctx, run, plan, nodeId, events)
  for (const result of results) await applyResult(ctx, runId, result)
  if (results.length > 0) return
  const seq = await touchRun(ctx.db, runId, ctx.now().toISOString())
  ctx.emit({ subject: flowRunSubject(runId), data: { seq } })
}
