// Undo and redo over a bounded log: users revert only their own actions, unless others have built on them since. A pure
// reducer; the caller stores the log with the graph.
import type { FlowAction, FlowActionError, GraphAction } from '@millrace/contract/flows'
import { applyAction } from './actions.ts'
import type { Graph } from './graph.ts'
import { sameJson } from './records.ts'
import { writesOverlap } from './slots.ts'

export const historyLimit = 50

/**
 * One action of an inverse. `guard` is the inverse of that action at the time when the entry was made: while it is
 * unchanged, the inverse overwrites only the author's own changes.
 */
export type UndoStep = { action: GraphAction; guard: GraphAction[] }

/** `spent`: can no longer be reverted; it remains to record whose work it is. */
export type HistoryEntry = {
  user_id: string
  action: FlowAction
  steps: UndoStep[]
  state: 'done' | 'undone' | 'spent'
}

export type History = readonly HistoryEntry[]

export type HistoryStep = { graph: Graph; log: History; applied: FlowAction[]; errors: FlowActionError[] }

/** `undo` and `redo` may answer with errors but never fail, because an empty stack is not a mistake of the caller. */
export const isReplay = (type: string): type is 'undo' | 'redo' => type === 'undo' || type === 'redo'

export const perform = (log: History, graph: Graph, userId: string, action: FlowAction): HistoryStep => {
  if (action.type === 'undo') return undo(log, graph, userId)
  if (action.type === 'redo') return redo(log, graph, userId)
  const outcome = applyAction(graph, action)
  if ('error' in outcome) return refused(log, graph, action.type, outcome.error)
  const entry: HistoryEntry = {
    user_id: userId,
    action,
    steps: undoSteps(outcome.graph, outcome.inverse),
    state: 'done',
  }
  const kept = log.filter((one) => one.state !== 'undone' || one.user_id !== userId)
  return { graph: outcome.graph, log: [...kept, entry].slice(-historyLimit), applied: [action], errors: [] }
}

const refused = (log: History, graph: Graph, type: string, message: string): HistoryStep => ({
  graph,
  log,
  applied: [],
  errors: [{ type, message }],
})

const undoSteps = (graph: Graph, inverse: readonly GraphAction[]): UndoStep[] => {
  let current = graph
  return inverse.map((action) => {
    const outcome = applyAction(current, action)
    if ('error' in outcome) throw new Error(`the inverse ${action.type} does not apply: ${outcome.error}`)
    current = outcome.graph
    return { action, guard: outcome.inverse }
  })
}

const undo = (log: History, graph: Graph, userId: string): HistoryStep => {
  const at = log.findLastIndex((entry) => entry.user_id === userId && entry.state === 'done')
  const entry = log[at]
  if (!entry) return refused(log, graph, 'undo', 'nothing to undo')

  const later = log.slice(at + 1).filter((other) => other.user_id !== userId && other.state !== 'undone')
  const builtUpon = (action: GraphAction) =>
    later.some((other) => other.steps.some((step) => writesOverlap(step.action, action)))

  const applied: FlowAction[] = []
  const errors: FlowActionError[] = []
  let current = graph
  for (const { action, guard } of entry.steps) {
    const outcome = applyAction(current, action)
    if (!('error' in outcome) && sameEffect(outcome.inverse, guard) && !builtUpon(action)) {
      current = outcome.graph
      applied.push(action)
      continue
    }
    const message = 'error' in outcome ? outcome.error : 'somebody else has changed this since'
    errors.push({ type: 'undo', message: `${action.type} skipped: ${message}` })
    // Later steps depend on the first; without it, they would change another user's node.
    if (applied.length === 0) break
  }
  const state = applied.length > 0 ? 'undone' : 'spent'
  return { graph: current, log: log.with(at, { ...entry, state }), applied, errors }
}

const redo = (log: History, graph: Graph, userId: string): HistoryStep => {
  const at = log.findIndex((entry) => entry.user_id === userId && entry.state === 'undone')
  const entry = log[at]
  if (!entry) return refused(log, graph, 'redo', 'nothing to redo')
  const outcome = applyAction(graph, entry.action)
  if ('error' in outcome) return refused(log.toSpliced(at, 1), graph, 'redo', outcome.error)
  const steps = undoSteps(outcome.graph, outcome.inverse)
  return {
    graph: outcome.graph,
    log: log.with(at, { ...entry, steps, state: 'done' }),
    applied: [entry.action],
    errors: [],
  }
}

/** Positions in lists shift with every edit, so they are ignored. */
const sameEffect = (a: readonly GraphAction[], b: readonly GraphAction[]): boolean =>
  sameJson(a.map(withoutIndex), b.map(withoutIndex))

const withoutIndex = (action: GraphAction) => {
  if (action.type !== 'node.add' && action.type !== 'edge.add') return action
  const { index: _index, ...payload } = action.payload
  return { type: action.type, payload }
}
