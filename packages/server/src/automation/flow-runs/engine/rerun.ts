// Reruns of a finished run from a node or from its failures: determines the reused results.
import type { ReusedNode } from './advance.ts'
import { downstream, type Plan } from './plan.ts'
import { endsBadly, type RunState } from './state.ts'
import { isRunOver } from './statuses.ts'

export type Rerun = { kept: ReusedNode[]; reset: string[] } | { error: string }

/** Nodes without a result always run again, with all their descendants. */
export const planRerun = (plan: Plan, state: RunState, fromNodeId?: string): Rerun => {
  if (!isRunOver(state.status)) return { error: 'the run is not over yet' }
  if (fromNodeId !== undefined && !plan.nodes.has(fromNodeId)) return { error: `node "${fromNodeId}" does not exist` }
  const unfinished = Array.from(plan.nodes.keys()).filter((id) => state.nodes.get(id)?.status !== 'completed')
  const failed = unfinished.filter((id) => {
    const node = state.nodes.get(id)
    return !node || endsBadly(node)
  })
  if (fromNodeId === undefined && failed.length === 0) return { error: 'no node failed; name a node to start from' }

  const reset = downstream(plan, fromNodeId === undefined ? unfinished : [fromNodeId, ...unfinished])
  const kept: ReusedNode[] = []
  for (const id of plan.nodes.keys()) {
    const node = state.nodes.get(id)
    if (reset.has(id) || node?.status !== 'completed') continue
    const taskId = state.tasks.get(id)
    kept.push({
      nodeId: id,
      ...(node.output !== undefined && { output: node.output }),
      ...(taskId !== undefined && { taskId }),
    })
  }
  return { kept, reset: Array.from(plan.nodes.keys()).filter((id) => reset.has(id)) }
}
