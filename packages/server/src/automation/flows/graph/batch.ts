// A batch of actions of one caller: applied in order up to the first failure; earlier actions stay.
import type { FlowAction, FlowActionError } from '@millrace/contract/flows'
import type { Graph } from './graph.ts'
import { type History, isReplay, perform } from './history.ts'

export type BatchResult = {
  graph: Graph
  log: History
  /** The actions that every replica must apply, in this order. */
  applied: FlowAction[]
  errors: FlowActionError[]
  /** True if an action was refused, which answers 422. An empty undo stack is only an entry in `errors`. */
  failed: boolean
}

export const applyBatch = (log: History, graph: Graph, userId: string, actions: readonly FlowAction[]): BatchResult => {
  const replay = actions.find((action) => isReplay(action.type))
  if (replay && actions.length > 1) {
    const message = `${replay.type} must be the only action in its batch`
    return { graph, log, applied: [], errors: [{ type: replay.type, message }], failed: true }
  }
  const applied: FlowAction[] = []
  for (const action of actions) {
    const step = perform(log, graph, userId, action)
    graph = step.graph
    log = step.log
    applied.push(...step.applied)
    if (step.errors.length > 0) return { graph, log, applied, errors: step.errors, failed: !isReplay(action.type) }
  }
  return { graph, log, applied, errors: [], failed: false }
}
