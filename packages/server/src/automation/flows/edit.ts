// Editing a graph: actions of several people are applied in the order in which they arrive, one batch at a time. What
// was acknowledged is in the draft.
import type { FlowAction, FlowActionsResult } from '@millrace/contract/flows'
import { newId } from '@millrace/contract/ids'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertWritable } from '#platform/tenancy/private-access.ts'
import { applyBatch } from './graph/batch.ts'
import { type Graph, graphLimits } from './graph/graph.ts'
import type { History } from './graph/history.ts'
import * as store from './store.ts'
import { flowSubject, tellLists } from './subjects.ts'

type Edited = FlowActionsResult & { failed: boolean }

export const applyActions = async (
  ctx: Ctx,
  id: string,
  actions: readonly FlowAction[],
): Promise<FlowActionsResult> => {
  const { failed, ...result } = await ctx.tx((ctx) => edit(ctx, id, actions))
  // Thrown outside the transaction: what succeeded before the failure stays.
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
    tellLists(ctx, flow)
  }
  return { version, actions: batch.applied, errors: batch.errors, failed: batch.failed }
}

/** Most that is too large is so by its texts alone, which are counted without writing it all out. */
const textLength = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0)
}

export const isTooLarge = (graph: Graph): boolean =>
  textLength(graph) > graphLimits.graphSize || JSON.stringify(graph).length > graphLimits.graphSize

export const tooLarge = `a flow holds at most ${graphLimits.graphSize} bytes`

/** Nothing of the batch is applied: which action was the one too many is not worth finding out. */
const refusedForSize = (version: number, actions: readonly FlowAction[]): Edited => ({
  version,
  actions: [],
  errors: [{ type: actions.at(-1)?.type ?? '', message: tooLarge }],
  failed: true,
})

/** What can be undone is forgotten, oldest first, when it takes too much room. */
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
  if (!draft) throw fail('internal_error', { cause: new Error(`The draft of flow ${flowId} is not there`) })
  return draft
}

/** Over the draft, or as a new draft when a run has used this one. */
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
