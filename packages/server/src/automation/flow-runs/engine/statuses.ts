// State machines of flow runs and their nodes, as tables of legal transitions.
import { type FlowRunStatus, type FlowRunStatusName, flowRunStatus } from '@millrace/contract/flow-run-status'
import type { NodeStatus } from '@millrace/contract/flow-runs'

export const runMoves: Record<FlowRunStatusName, readonly FlowRunStatusName[]> = {
  unknown: [],
  pending: ['running', 'cancelled'],
  running: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** A waiting node is `running` on the wire, where statuses do not change. */
export type EngineStatus = NodeStatus | 'waiting'

export const shownStatus = (status: EngineStatus): NodeStatus => (status === 'waiting' ? 'running' : status)

/** Utility nodes go directly from pending to their end. A `ready` node waits for its retry. */
export const nodeMoves: Record<EngineStatus, readonly EngineStatus[]> = {
  pending: ['running', 'waiting', 'completed', 'failed', 'skipped', 'blocked', 'cancelled'],
  ready: ['running', 'cancelled'],
  running: ['ready', 'completed', 'failed', 'cancelled'],
  waiting: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
  skipped: [],
  blocked: [],
}

export const canRunMove = (from: FlowRunStatusName, to: FlowRunStatusName): boolean => runMoves[from].includes(to)

export const canNodeMove = (from: EngineStatus, to: EngineStatus): boolean => nodeMoves[from].includes(to)

export const isRunOver = (status: FlowRunStatusName): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

export const isNodeOver = (status: EngineStatus): boolean => nodeMoves[status].length === 0

export const runStatusCode = (name: FlowRunStatusName): FlowRunStatus => flowRunStatus[name]

const namesByCode = new Map<number, FlowRunStatusName>(
  (Object.keys(flowRunStatus) as FlowRunStatusName[]).map((name) => [flowRunStatus[name], name]),
)

export const runStatusName = (code: number): FlowRunStatusName => namesByCode.get(code) ?? 'unknown'
