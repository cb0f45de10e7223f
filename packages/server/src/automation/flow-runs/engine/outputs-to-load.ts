// The results of earlier nodes that a step may read. A run of a thousand nodes, or a join of a hundred branches, must
// not read all results after every end of a node.
import { connectionsIn } from '@millrace/contract/flow-inputs'
import { own } from '@millrace/contract/json'
import { isTaskNode, type Plan, planNode } from './plan.ts'
import { type RunInput, readRunInput } from './run-input.ts'
import { type RunState, statusOf } from './state.ts'

/** `finished`: nodes whose tasks ended. `startedAgain`: nodes whose retry is due. */
export const outputsToLoad = (
  plan: Plan,
  state: RunState,
  finished: readonly string[],
  startedAgain: readonly string[] = [],
): Set<string> => {
  const input = readRunInput(plan, state.input)
  const needed = new Set<string>()
  const addSource = (id: string): void => {
    const node = plan.nodes.get(id)
    if (!node || needed.has(id)) return
    needed.add(id)
    // The value of an input node may itself come from other nodes.
    if (node.type === 'inputNode') addSourcesOf(id)
  }
  const addSourcesOf = (id: string): void => {
    for (const source of planNode(plan, id).needs) addSource(source)
    for (const source of overriddenSources(input, id)) addSource(source)
  }

  const next = nextNodes(plan, state, finished)
  const repeated = finished.filter((id) => plan.nodes.get(id)?.data.repeat)
  for (const id of [...next.reached, ...startedAgain, ...repeated]) addSourcesOf(id)
  const nextContinues = next.startsForSure || startedAgain.length > 0 || othersAreLive(state, finished)
  if (nextContinues) return needed
  for (const { sourceNodeId } of Object.values(plan.mappings)) addSource(sourceNodeId)
  for (const node of plan.nodes.values()) if (node.type === 'outputNode') addSourcesOf(node.id)
  return needed
}

/** A run's own values for a node may connect it to any node. */
const overriddenSources = (input: RunInput, nodeId: string): string[] => {
  if (input.form === 'flat') return []
  return Object.values(own(input.values, nodeId) ?? {})
    .flatMap(connectionsIn)
    .map((connection) => connection.nodeId)
}

const othersAreLive = (state: RunState, finished: readonly string[]): boolean => {
  const ended = new Set(finished)
  for (const [id, { status }] of state.nodes) {
    if ((status === 'running' || status === 'ready') && !ended.has(id)) return true
  }
  return false
}

/**
 * The nodes that may be evaluated or started if these succeed, and utility nodes in between too. A node that waits only
 * for tasks certainly starts; behind a utility node it may still be blocked.
 */
const nextNodes = (plan: Plan, state: RunState, finished: readonly string[]) => {
  const left = new Map<string, number>()
  const reached: string[] = []
  const doubtful = new Set<string>()
  const ended = new Set(finished)
  let startsForSure = false
  const open = finished.filter((id) => plan.nodes.has(id))
  for (const id of open) {
    for (const next of planNode(plan, id).feeds) {
      if (!ended.has(id)) doubtful.add(next)
      const waits = (left.get(next) ?? state.waiting.get(next) ?? 0) - 1
      left.set(next, waits)
      if (waits > 0 || statusOf(state, next) !== 'pending') continue
      const { type, fault } = planNode(plan, next)
      reached.push(next)
      // A task node that may be skipped lets the nodes after it start in the same step.
      if (plan.skips || !isTaskNode(type)) open.push(next)
      else if (fault === undefined && !doubtful.has(next)) startsForSure = true
    }
  }
  return { reached, startsForSure }
}
