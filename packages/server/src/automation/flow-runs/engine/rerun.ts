// Reruns of a finished run from a node or from its failures: determines the reused results.
import type { ReusedNode } from './advance.ts'
import { downstream, type Plan } from './plan.ts'
import { failsRun, isResolved, type NodeState, type RunState } from './state.ts'
import { isRunOver } from './statuses.ts'

export type Rerun = { reused: ReusedNode[]; reset: string[] } | { error: string }

const reusedNode = (
  nodeId: string,
  node: NodeState | undefined,
  taskId: string | undefined,
): ReusedNode | undefined => {
  if (node?.status === 'skipped') return { nodeId, skipped: true }
  if (node?.status === 'failed' && node.handled) return { nodeId, error: node.error, code: node.code ?? '' }
  if (node?.status !== 'completed') return undefined
  return {
    nodeId,
    ...(node.output !== undefined && { output: node.output }),
    ...(taskId !== undefined && { taskId }),
    ...(node.branch !== undefined && { branch: node.branch }),
  }
}

/** Nodes that did not end with a result or a chosen branch always run again, with all their descendants. */
export const planRerun = (plan: Plan, state: RunState, fromNodeId?: string): Rerun => {
  if (!isRunOver(state.status)) return { error: 'the run is not over yet' }
  if (fromNodeId !== undefined && !plan.nodes.has(fromNodeId)) return { error: `node "${fromNodeId}" does not exist` }
  const unfinished = Array.from(plan.nodes.keys()).filter((id) => {
    const node = state.nodes.get(id)
    return !node || !isResolved(node)
  })
  const failed = unfinished.filter((id) => {
    const node = state.nodes.get(id)
    return !node || failsRun(node)
  })
  if (fromNodeId === undefined && failed.length === 0) return { error: 'no node failed; name a node to start from' }

  const reset = downstream(plan, fromNodeId === undefined ? unfinished : [fromNodeId, ...unfinished])
  const reusedNodes: ReusedNode[] = []
  for (const id of plan.nodes.keys()) {
    const reused = reset.has(id) ? undefined : reusedNode(id, state.nodes.get(id), state.tasks.get(id))
    if (reused) reusedNodes.push(reused)
  }
  return { reused: reusedNodes, reset: Array.from(plan.nodes.keys()).filter((id) => reset.has(id)) }
}
