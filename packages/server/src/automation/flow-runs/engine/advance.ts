// Advances a run from finished nodes to the next ones in one pass, which also evaluates utility nodes. Returns the new
// state, its events, and commands for tasks and timers.

import { timeoutHandle } from './outputs.ts'
import {
  type Chance,
  cancelRest,
  complete,
  emit,
  fail,
  failAttempt,
  isReady,
  loopTask,
  newPass,
  type Pass,
  type Progress,
  propagateFailure,
  type Slices,
} from './pass.ts'
import { type Plan, planNode } from './plan.ts'
import { completeTask } from './repeat.ts'
import { settle, store } from './settle.ts'
import { copyState, freshState, type RunState } from './state.ts'
import { isRunOver } from './statuses.ts'

export type { Chance, EngineCommand, Progress, Slices, StartLoop } from './pass.ts'
export { loopTask } from './pass.ts'

/** The end of a node's task. Results of tasks that the node no longer waits for are ignored. */
export type TaskResult = { nodeId: string; taskId: string } & (
  | { outcome: 'completed'; output: unknown }
  | { outcome: 'failed'; error: string; code: string }
  | { outcome: 'timed out' }
  | { outcome: 'cancelled' }
)

/** A finished node of an earlier run whose result a rerun reuses. */
export type ReusedNode = { nodeId: string } & (
  | { output?: unknown; taskId?: string; branch?: string }
  | { skipped: true }
  | { error: string; code: string }
)

export type RunRequest = {
  input: Record<string, unknown>
  failOnError: boolean
  originRunId?: string
  reused?: readonly ReusedNode[]
}

export const begin = (plan: Plan, request: RunRequest, chance: Chance): Slices => {
  const pass = newPass(plan, freshState(plan), chance)
  emit(pass, {
    type: 'run_started',
    input: request.input,
    fail_on_error: request.failOnError,
    ...(request.originRunId !== undefined && { origin_run_id: request.originRunId }),
  })
  for (const node of request.reused ?? []) reuse(pass, node)
  for (const id of plan.nodes.keys()) if (isReady(pass, id)) pass.ready.push(id)
  return settle(pass)
}

const reuse = (pass: Pass, node: ReusedNode): void => {
  const node_id = node.nodeId
  if ('skipped' in node) emit(pass, { type: 'node_skipped', node_id })
  else if ('error' in node)
    emit(pass, { type: 'node_failed', node_id, error: node.error, code: node.code, gate: false, handled: true })
  else
    emit(pass, {
      type: 'node_completed',
      node_id,
      kept: true,
      ...(node.output !== undefined && { output: node.output }),
      ...(node.taskId !== undefined && { task_id: node.taskId }),
      ...(node.branch !== undefined && { branch: node.branch }),
    })
}

export const advance = (plan: Plan, state: RunState, results: readonly TaskResult[], chance: Chance): Slices => {
  const pass = newPass(plan, copyState(state), chance)
  for (const result of results) {
    if (result.taskId === loopTask) applyLoopResult(pass, result)
    else applyResult(pass, result)
  }
  return settle(pass)
}

const applyResult = (pass: Pass, result: TaskResult): void => {
  const nodeState = pass.state.nodes.get(result.nodeId)
  if (isRunOver(pass.state.status) || nodeState?.status !== 'running' || nodeState.taskId !== result.taskId) return
  const node = planNode(pass.plan, result.nodeId)
  switch (result.outcome) {
    case 'completed':
      completeTask(pass, node, result.output)
      break
    case 'failed':
      failAttempt(pass, node, nodeState.attempt, { error: result.error, code: result.code })
      break
    case 'timed out':
      pass.commands.push({ type: 'cancel', nodeId: node.id, taskId: nodeState.taskId })
      failAttempt(pass, node, nodeState.attempt, {
        error: `timed out after ${node.timeoutMs} ms`,
        code: 'timed_out',
      })
      break
    case 'cancelled':
      emit(pass, { type: 'node_cancelled', node_id: node.id })
      propagateFailure(pass, node.id)
      break
  }
}

/** A loop ends with the list of its results, or with the failure of an item. */
const applyLoopResult = (pass: Pass, result: TaskResult): void => {
  const nodeState = pass.state.nodes.get(result.nodeId)
  if (isRunOver(pass.state.status) || nodeState?.status !== 'waiting' || nodeState.kind !== 'items') return
  if (result.outcome === 'completed') store(pass, result.nodeId, result.output)
  if (result.outcome === 'failed') fail(pass, result.nodeId, { error: result.error, code: result.code })
}

/** Starts the next attempt of a node whose retry is due. Does nothing if the node no longer waits for one. */
export const retryNode = (plan: Plan, state: RunState, nodeId: string, chance: Chance): Slices => {
  const pass = newPass(plan, copyState(state), chance)
  if (!isRunOver(state.status) && state.nodes.get(nodeId)?.status === 'ready') pass.ready.push(nodeId)
  return settle(pass)
}

/** The event that ends a wait. */
export type WaitEnd = { event: 'due' } | { event: 'resumed'; data: unknown }

/** Ends the wait of a node. Does nothing if the node does not wait, or not for this event. */
export const endWait = (plan: Plan, state: RunState, nodeId: string, end: WaitEnd, chance: Chance): Slices => {
  const pass = newPass(plan, copyState(state), chance)
  const nodeState = state.nodes.get(nodeId)
  if (isRunOver(state.status) || nodeState?.status !== 'waiting') return settle(pass)
  const isDue = nodeState.untilMs !== undefined && nodeState.untilMs <= chance.nowMs
  if (end.event === 'resumed' && nodeState.kind !== 'time') store(pass, nodeId, end.data)
  else if (end.event === 'due' && isDue)
    complete(pass, nodeId, undefined, nodeState.kind === 'time' ? undefined : timeoutHandle)
  return settle(pass)
}

/** Cancels a run; a finished one does not change. */
export const cancelRun = (plan: Plan, state: RunState, chance: Chance): Progress => {
  const pass = newPass(plan, copyState(state), chance)
  if (!isRunOver(state.status)) {
    cancelRest(pass)
    emit(pass, { type: 'run_cancelled' })
  }
  return { state: pass.state, events: pass.events, commands: pass.commands }
}
