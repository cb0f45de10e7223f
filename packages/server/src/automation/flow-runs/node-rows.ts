// Converts the state of a run's nodes to rows and back. Pure.
import type { NodeWaitKind } from '@millrace/contract/flow-runs'
import { hasTaskOutput, type Plan, planNode } from './engine/plan.ts'
import { type NodeState, type Repetition, type RunState, repetitionOf, restoreState } from './engine/state.ts'
import { runStatusName } from './engine/statuses.ts'
import type { LoadedNode, NodeRow, NodeStateRow } from './node-store.ts'
import type { RunRow } from './store.ts'

/** The output of an app node is that of its task and is not stored again. */
const storedOutput = (plan: Plan, nodeId: string, output: unknown): NodeRow['output'] =>
  output === undefined || hasTaskOutput(planNode(plan, nodeId)) ? null : { value: output }

/** The result of a completed node, or the output that a repeated one carries. */
const outputOf = (plan: Plan, nodeId: string, node: NodeState): NodeRow['output'] => {
  if (node.status === 'completed') return storedOutput(plan, nodeId, node.output)
  const { carried } = repetitionOf(node)
  return carried === undefined ? null : { value: carried }
}

export const toNodeRow = (plan: Plan, state: RunState, nodeId: string, node: NodeState): NodeRow => ({
  node_id: nodeId,
  status: node.status,
  attempt: node.status === 'running' || node.status === 'ready' ? node.attempt : null,
  task_id: state.tasks.get(nodeId) ?? null,
  output: outputOf(plan, nodeId, node),
  error: node.status === 'failed' || node.status === 'ready' ? node.error : null,
  gate: node.status === 'failed' ? node.gate : null,
  blocked_by: node.status === 'blocked' ? node.by : null,
  deadline_ms: deadlineOf(node),
  retry_at_ms: node.status === 'ready' ? node.retryAtMs : null,
  branch: node.status === 'completed' ? (node.branch ?? null) : null,
  code: node.status === 'failed' ? (node.code ?? null) : null,
  handled: node.status === 'failed' ? (node.handled ?? null) : null,
  waits_for: node.status === 'waiting' ? node.kind : null,
  turn: repetitionOf(node).turn ?? null,
})

const deadlineOf = (node: NodeState): number | null => {
  if (node.status === 'running') return node.deadlineMs ?? null
  return node.status === 'waiting' ? (node.untilMs ?? null) : null
}

/** The nodes whose state object was replaced: states are immutable. */
export const changedNodes = (plan: Plan, before: RunState | null, after: RunState): NodeRow[] => {
  const rows: NodeRow[] = []
  for (const [id, node] of after.nodes) {
    if (before?.nodes.get(id) !== node) rows.push(toNodeRow(plan, after, id, node))
  }
  return rows
}

type Result = Pick<LoadedNode, 'node_id' | 'output' | 'task_output' | 'branch'>

const resultOf = (plan: Plan, row: Result): NodeState => {
  const chosen = row.branch === null ? {} : { branch: row.branch }
  if (hasTaskOutput(planNode(plan, row.node_id)))
    return { status: 'completed', output: row.task_output ?? null, ...chosen }
  return { status: 'completed', ...(row.output && { output: row.output.value ?? null }), ...chosen }
}

/** Completed nodes whose results were not loaded; reading one is a bug and must throw instead of returning nothing. */
const unread = new WeakSet<NodeState>()

const unreadResult = (nodeId: string, branch: string | null): NodeState => {
  const node: NodeState = {
    status: 'completed',
    ...(branch !== null && { branch }),
    get output(): unknown {
      throw new Error(`the output of node "${nodeId}" was not loaded`)
    },
  }
  unread.add(node)
  return node
}

/** Input and output nodes store no result. */
const hasResult = (plan: Plan, nodeId: string): boolean => {
  const { type } = planNode(plan, nodeId)
  return type !== 'inputNode' && type !== 'outputNode'
}

const turnIn = ({ turn, carried }: NodeStateRow | LoadedNode): Repetition => ({
  ...(turn !== null && { turn }),
  ...(carried !== null && { carried: carried.value ?? null }),
})

const toNodeState = (plan: Plan, row: NodeStateRow | LoadedNode): NodeState => {
  switch (row.status) {
    case 'running':
      return {
        status: 'running',
        attempt: row.attempt ?? 1,
        taskId: row.task_id ?? '',
        ...(row.deadline_ms !== null && { deadlineMs: row.deadline_ms }),
        ...turnIn(row),
      }
    case 'ready':
      return {
        status: 'ready',
        attempt: row.attempt ?? 0,
        retryAtMs: row.retry_at_ms ?? 0,
        error: row.error ?? '',
        ...turnIn(row),
      }
    case 'completed':
      if (!hasResult(plan, row.node_id)) return { status: 'completed' }
      return 'task_output' in row ? resultOf(plan, row) : unreadResult(row.node_id, row.branch)
    case 'waiting':
      return {
        status: 'waiting',
        kind: row.waits_for as NodeWaitKind,
        ...(row.deadline_ms !== null && { untilMs: row.deadline_ms }),
      }
    case 'skipped':
      return { status: 'skipped' }
    case 'failed':
      return {
        status: 'failed',
        error: row.error ?? '',
        gate: row.gate ?? false,
        ...(row.code !== null && { code: row.code }),
        ...(row.handled === true && { handled: true }),
      }
    case 'blocked':
      return { status: 'blocked', by: row.blocked_by ?? '' }
    case 'cancelled':
      return { status: 'cancelled' }
    default:
      throw new Error(`node "${row.node_id}" is stored with the unknown status ${row.status}`)
  }
}

type StoredRunFields = Pick<RunRow, 'status' | 'input' | 'output' | 'error' | 'fail_on_error' | 'origin_run_id'>

/** The state of a stored run. For rows without results, the results must be added before they are read. */
export const toRunState = (plan: Plan, run: StoredRunFields, rows: readonly (NodeStateRow | LoadedNode)[]): RunState =>
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

export const unreadAmong = (state: RunState, nodeIds: Iterable<string>): string[] =>
  Array.from(nodeIds).filter((id) => {
    const node = state.nodes.get(id)
    return node !== undefined && unread.has(node)
  })

export const withResults = (plan: Plan, state: RunState, results: readonly Result[]): RunState => {
  const nodes = new Map(state.nodes)
  for (const row of results) nodes.set(row.node_id, resultOf(plan, row))
  return { ...state, nodes }
}
