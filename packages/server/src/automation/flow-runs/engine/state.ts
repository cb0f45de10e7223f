// The state of a run as a value. Absent nodes are pending. Only events.ts modifies it.
import type { FlowRunStatusName } from '@millrace/contract/flow-run-status'
import type { NodeStatus, NodeWaitKind } from '@millrace/contract/flow-runs'
import { type Plan, type PlanNode, planNode } from './plan.ts'
import { type EngineStatus, isNodeOver, shownStatus } from './statuses.ts'

/** The repetition of a repeated node, from 2, and the output that it receives from the previous one. */
export type Repetition = { turn?: number; carried?: unknown }

export const repetitionOf = (node: NodeState | undefined): Repetition =>
  node?.status === 'running' || node?.status === 'ready'
    ? {
        ...(node.turn !== undefined && { turn: node.turn }),
        ...(node.carried !== undefined && { carried: node.carried }),
      }
    : {}

export type NodeState =
  | ({ status: 'running'; attempt: number; taskId: string; deadlineMs?: number } & Repetition)
  | ({ status: 'ready'; attempt: number; retryAtMs: number; error: string } & Repetition)
  /** Waits for a time or an event, without a task. */
  | { status: 'waiting'; kind: NodeWaitKind; untilMs?: number }
  /** `branch`: the chosen output of a node with several. */
  | { status: 'completed'; output?: unknown; branch?: string }
  /** `handled`: the run continues at the output `error`. */
  | { status: 'failed'; error: string; gate: boolean; code?: string; handled?: true }
  | { status: 'skipped' }
  | { status: 'blocked'; by: string }
  | { status: 'cancelled' }

export type RunState = {
  status: FlowRunStatusName
  input: Record<string, unknown>
  failOnError: boolean
  originRunId?: string
  nodes: Map<string, NodeState>
  /** The latest task of each node that had one. */
  tasks: Map<string, string>
  /** Number of unfinished upstream nodes of each pending node. */
  waiting: Map<string, number>
  /** Number of nodes that have not ended. */
  unfinished: number
  output?: Record<string, unknown>
  error?: string
}

export const freshState = (plan: Plan): RunState => ({
  status: 'pending',
  input: {},
  failOnError: true,
  nodes: new Map(),
  tasks: new Map(),
  waiting: new Map(Array.from(plan.nodes.values(), (node) => [node.id, node.needs.length])),
  unfinished: plan.nodes.size,
})

export const copyState = (state: RunState): RunState => ({
  ...state,
  nodes: new Map(state.nodes),
  tasks: new Map(state.tasks),
  waiting: new Map(state.waiting),
})

export const statusOf = (state: RunState, nodeId: string): EngineStatus => state.nodes.get(nodeId)?.status ?? 'pending'

export type StoredRun = Pick<RunState, 'status' | 'input' | 'failOnError' | 'originRunId' | 'output' | 'error'> & {
  /** Nodes without a row are pending. */
  nodes: Iterable<readonly [nodeId: string, state: NodeState]>
  tasks: Iterable<readonly [nodeId: string, taskId: string]>
}

/** Builds the state from stored rows; counters are derived instead of stored. */
export const restoreState = (plan: Plan, stored: StoredRun): RunState => {
  const { nodes, tasks, ...run } = stored
  const state: RunState = { ...freshState(plan), ...run, nodes: new Map(nodes), tasks: new Map(tasks) }
  for (const [id, node] of state.nodes) {
    if (isNodeOver(node.status)) state.unfinished -= 1
    if (!isResolved(node)) continue
    for (const next of planNode(plan, id).feeds) state.waiting.set(next, (state.waiting.get(next) ?? 0) - 1)
  }
  return state
}

/** True if the nodes after this one can be decided: run or skipped. Otherwise they wait or are blocked. */
export const isResolved = (node: NodeState): boolean =>
  node.status === 'completed' || node.status === 'skipped' || (node.status === 'failed' && node.handled === true)

/** True if a node fails the run. A closed gate and a handled failure are marked failed but do not. */
export const failsRun = (node: NodeState): boolean =>
  node.status === 'cancelled' || (node.status === 'failed' && !node.gate && node.handled !== true)

export const nodeStatuses = (plan: Plan, state: RunState): Record<string, NodeStatus> =>
  Object.fromEntries(Array.from(plan.nodes.keys(), (id) => [id, shownStatus(statusOf(state, id))]))

const typesWithStoredOutput = new Set<string>(['gate', 'selector', 'merge', 'constant', 'utility', 'switch', 'wait'])

const storesOutput = ({ type, data }: PlanNode): boolean => typesWithStoredOutput.has(type) || Boolean(data.for_each)

/** Results of utility nodes and loops; null before the first. */
export const nodeOutputs = (plan: Plan, state: RunState): Record<string, { value: unknown }> | null => {
  const stored: [string, { value: unknown }][] = []
  for (const [id, node] of state.nodes) {
    if (node.status === 'completed' && node.output !== undefined && storesOutput(planNode(plan, id)))
      stored.push([id, { value: node.output }])
  }
  return stored.length > 0 ? Object.fromEntries(stored) : null
}
