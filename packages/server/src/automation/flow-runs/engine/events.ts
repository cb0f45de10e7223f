// The append-only log of a run. Only `applyEvent` changes a run's state, both when advancing and when rebuilding from
// the log; it throws for every transition that is not in the tables of statuses.ts.
import type { FlowRunStatusName } from '@millrace/contract/flow-run-status'
import type { FlowRunEvent } from '@millrace/contract/flow-runs'
import { type Plan, planNode } from './plan.ts'
import { freshState, isResolved, type NodeState, type RunState, repetitionOf, statusOf } from './state.ts'
import { canNodeMove, canRunMove, isNodeOver } from './statuses.ts'

const moveRun = (state: RunState, to: FlowRunStatusName): void => {
  if (!canRunMove(state.status, to)) throw new Error(`a flow run cannot move from ${state.status} to ${to}`)
  state.status = to
}

const moveNode = (plan: Plan, state: RunState, id: string, to: NodeState): void => {
  const from = statusOf(state, id)
  if (!canNodeMove(from, to.status)) throw new Error(`node "${id}" cannot move from ${from} to ${to.status}`)
  state.nodes.set(id, to)
  if (isNodeOver(to.status)) state.unfinished -= 1
  if (!isResolved(to)) return
  for (const next of planNode(plan, id).feeds) state.waiting.set(next, (state.waiting.get(next) ?? 0) - 1)
}

/** Modifies the given state. */
export const applyEvent = (plan: Plan, state: RunState, event: FlowRunEvent): void => {
  switch (event.type) {
    case 'run_started':
      moveRun(state, 'running')
      state.input = event.input
      state.failOnError = event.fail_on_error
      if (event.origin_run_id !== undefined) state.originRunId = event.origin_run_id
      return
    case 'node_started':
      moveNode(plan, state, event.node_id, {
        status: 'running',
        attempt: event.attempt,
        taskId: event.task_id,
        ...(event.deadline_ms !== undefined && { deadlineMs: event.deadline_ms }),
        ...repetitionOf(state.nodes.get(event.node_id)),
      })
      state.tasks.set(event.node_id, event.task_id)
      return
    case 'node_retried':
      moveNode(plan, state, event.node_id, {
        status: 'ready',
        attempt: event.attempt,
        retryAtMs: event.retry_at_ms,
        error: event.error,
        ...repetitionOf(state.nodes.get(event.node_id)),
      })
      return
    case 'node_repeated':
      moveNode(plan, state, event.node_id, {
        status: 'ready',
        attempt: 0,
        retryAtMs: event.again_at_ms,
        error: '',
        turn: event.turn,
        ...(event.carried !== undefined && { carried: event.carried }),
      })
      return
    case 'node_completed':
      moveNode(plan, state, event.node_id, {
        status: 'completed',
        ...(event.output !== undefined && { output: event.output }),
        ...(event.branch !== undefined && { branch: event.branch }),
      })
      if (event.task_id !== undefined) state.tasks.set(event.node_id, event.task_id)
      return
    case 'node_failed':
      moveNode(plan, state, event.node_id, {
        status: 'failed',
        error: event.error,
        gate: event.gate,
        ...(event.code !== undefined && { code: event.code }),
        ...(event.handled === true && { handled: true }),
      })
      return
    case 'node_skipped':
      moveNode(plan, state, event.node_id, { status: 'skipped' })
      return
    case 'node_waiting':
      moveNode(plan, state, event.node_id, {
        status: 'waiting',
        kind: event.kind,
        ...(event.until_ms !== undefined && { untilMs: event.until_ms }),
      })
      return
    case 'node_blocked':
      moveNode(plan, state, event.node_id, { status: 'blocked', by: event.by })
      return
    case 'node_cancelled':
      moveNode(plan, state, event.node_id, { status: 'cancelled' })
      return
    case 'run_completed':
      moveRun(state, 'completed')
      state.output = event.output
      return
    case 'run_failed':
      moveRun(state, 'failed')
      state.error = event.error
      return
    case 'run_cancelled':
      moveRun(state, 'cancelled')
      return
  }
}

export const rebuild = (plan: Plan, events: Iterable<FlowRunEvent>): RunState => {
  const state = freshState(plan)
  for (const event of events) applyEvent(plan, state, event)
  return state
}
