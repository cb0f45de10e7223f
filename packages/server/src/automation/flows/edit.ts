// Edits the graph: actions of several users are applied in order of arrival, one batch at a time. Acknowledged actions
// are in the stored draft.
import type { FlowAction, FlowActionsResult } from '@millrace/contract/flows'
import { newId } from '@millrace/contract/ids'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertWritable } from '#platform/tenancy/private-access.ts'
import { applyBatch } from './graph/batch.ts'
import { type Graph, graphLimits } from './graph/graph.ts'
import type { History } from './graph/history.ts'
import * as store from './store.ts'
import { flowSubject, notifyLists } from './subjects.ts'

type Edited = FlowActionsResult & { failed: boolean }

export const applyActions = async (
  ctx: Ctx,
  id: string,
  actions: readonly FlowAction[],
): Promise<FlowActionsResult> => {
  const { failed, ...result } = await ctx.tx((ctx) => edit(ctx, id, actions))
  // Thrown outside the transaction, so that the actions before the failure are committed.
  if (failed) {
    const [first] = result.errors
    throw fail('flow_action_failed', { detail: first && `${first.type}: ${first.message}`, extra: result })
  }
  return result
}

const edit = async (ctx: Ctx, id: string, actions: readonly FlowAction[]): Promise<Edited> => {
  const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
  const draft = await lockedDraft(ctx, flow.id)
  const { userId } = ctx.actor
  const batch = applyBatch(draft.history, draft.graph, userId, actions)
  if (isTooLarge(batch.graph)) return refusedForSize(draft.graph_version, actions)
  const version = batch.applied.length > 0 ? draft.graph_version + 1 : draft.graph_version
  if (batch.log !== draft.history) {
    await saveDraft(ctx, draft, { graph: batch.graph, history: batch.log, graphVersion: version })
  }
  if (batch.applied.length > 0) {
    const event = { version, actions: batch.applied, user_id: userId }
    ctx.emit({ subject: flowSubject(flow.id), data: { actions: event } })
    notifyLists(ctx, flow)
  }
  return { version, actions: batch.applied, errors: batch.errors, failed: batch.failed }
}

/** A lower bound of the JSON size that needs no serialization; it detects most oversized graphs. */
const textLength = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0)
}

export const isTooLarge = (graph: Graph): boolean =>
  textLength(graph) > graphLimits.graphSize || JSON.stringify(graph).length > graphLimits.graphSize

export const tooLarge = `a flow must have at most ${graphLimits.graphSize} bytes`

/** The whole batch is refused; finding the action that exceeds the limit is not worth the cost. */
const refusedForSize = (version: number, actions: readonly FlowAction[]): Edited => ({
  version,
  actions: [],
  errors: [{ type: actions.at(-1)?.type ?? '', message: tooLarge }],
  failed: true,
})

/** Drops the oldest undo entries if the history is too large. */
const boundedHistory = (history: History): History => {
  let room: number = graphLimits.historySize
  const kept = history.findLastIndex((entry) => {
    room -= JSON.stringify(entry).length
    return room < 0
  })
  return kept < 0 ? history : history.slice(kept + 1)
}

export const lockedDraft = async (ctx: Ctx, flowId: string) => {
  const draft = await store.lockDraft(ctx.db, flowId)
  if (!draft) throw fail('internal_error', { cause: new Error(`The draft of flow ${flowId} does not exist`) })
  return draft
}

/** Overwrites the draft, or inserts a new draft if a run uses this one. */
export const saveDraft = async (
  ctx: Ctx,
  draft: store.VersionRow,
  next: { graph: Graph; history: History; graphVersion: number },
): Promise<void> => {
  const now = ctx.now().toISOString()
  const { graph, graphVersion } = next
  const edited = { flowId: draft.flow_id, graph, history: boundedHistory(next.history), now }
  if (draft.frozen && graphVersion !== draft.graph_version) {
    await store.insertDraft(ctx.db, { ...edited, versionId: newId() }, graphVersion, ctx.actor.userId)
  } else {
    await store.updateDraft(ctx.db, { ...edited, versionId: draft.id }, graphVersion)
  }
}
