// The state of a run's nodes as rows, and back. Pure.
import { type Plan, planNode } from './engine/plan.ts'
import { type NodeState, type RunState, restoreState } from './engine/state.ts'
import { runStatusName } from './engine/statuses.ts'
import type { LoadedNode, NodeRow, RunRow } from './store.ts'

/** An app node's output is its task's and is not written a second time. */
const storedOutput = (plan: Plan, nodeId: string, output: unknown): NodeRow['output'] =>
  output === undefined || planNode(plan, nodeId).type === 'appNode' ? null : { value: output }

export const toNodeRow = (plan: Plan, state: RunState, nodeId: string, node: NodeState): NodeRow => ({
  node_id: nodeId,
  status: node.status,
  attempt: node.status === 'running' || node.status === 'ready' ? node.attempt : null,
  task_id: state.tasks.get(nodeId) ?? null,
  output: node.status === 'completed' ? storedOutput(plan, nodeId, node.output) : null,
  error: node.status === 'failed' || node.status === 'ready' ? node.error : null,
  gate: node.status === 'failed' ? node.gate : null,
  blocked_by: node.status === 'blocked' ? node.by : null,
  deadline_ms: node.status === 'running' ? (node.deadlineMs ?? null) : null,
  retry_at_ms: node.status === 'ready' ? node.retryAtMs : null,
})

/** The nodes whose state is another object than before: a state is never changed in place. */
export const changedNodes = (plan: Plan, before: RunState | null, after: RunState): NodeRow[] => {
  const rows: NodeRow[] = []
  for (const [id, node] of after.nodes) {
    if (before?.nodes.get(id) !== node) rows.push(toNodeRow(plan, after, id, node))
  }
  return rows
}

const outputOf = (plan: Plan, row: LoadedNode): { output?: unknown } => {
  if (planNode(plan, row.node_id).type === 'appNode') return { output: row.task_output }
  return row.output ? { output: row.output.value } : {}
}

const toNodeState = (plan: Plan, row: LoadedNode): NodeState => {
  switch (row.status) {
    case 'running':
      return {
        status: 'running',
        attempt: row.attempt ?? 1,
        taskId: row.task_id ?? '',
        ...(row.deadline_ms !== null && { deadlineMs: row.deadline_ms }),
      }
    case 'ready':
      return {
        status: 'ready',
        attempt: row.attempt ?? 1,
        retryAtMs: row.retry_at_ms ?? 0,
        error: row.error ?? '',
      }
    case 'completed':
      return { status: 'completed', ...outputOf(plan, row) }
    case 'failed':
      return { status: 'failed', error: row.error ?? '', gate: row.gate ?? false }
    case 'blocked':
      return { status: 'blocked', by: row.blocked_by ?? '' }
    case 'cancelled':
      return { status: 'cancelled' }
    default:
      throw new Error(`node "${row.node_id}" is stored with the unknown status ${row.status}`)
  }
}

export type StoredRunFields = Pick<RunRow, 'status' | 'input' | 'output' | 'error' | 'fail_on_error' | 'origin_run_id'>

export const toRunState = (plan: Plan, run: StoredRunFields, rows: readonly LoadedNode[]): RunState =>
  restoreState(plan, {
    status: runStatusName(run.status),
    input: run.input as Record<string, unknown>,
    failOnError: run.fail_on_error,
    ...(run.origin_run_id !== null && { originRunId: run.origin_run_id }),
    ...(run.output !== null && { output: run.output as Record<string, unknown> }),
    ...(run.error !== '' && { error: run.error }),
    nodes: rows.map((row) => [row.node_id, toNodeState(plan, row)]),
    tasks: rows.flatMap((row) => (row.task_id === null ? [] : [[row.node_id, row.task_id] as const])),
  })
