// One pass over a run: the implementation of advance.ts by events. A pass owns and modifies its state.
import type { FlowRunEvent } from '@millrace/contract/flow-runs'
import type { CelBudget } from '#platform/cel/cel.ts'
import { applyEvent } from './events.ts'
import { continuesAtError } from './outputs.ts'
import { type Plan, type PlanNode, planNode } from './plan.ts'
import { afterFailure } from './retry.ts'
import type { StartTask } from './start-task.ts'
import { failsRun, type RunState, statusOf } from './state.ts'
import { isNodeOver } from './statuses.ts'

/** The inputs that are not functions of graph and run: time, randomness and URLs. */
export type Chance = {
  nowMs: number
  random: () => number
  newTaskId: () => string
  /** The URL that ends the wait of a node. */
  urlOf: (nodeId: string) => string
}

/** Runs a node once for each of the items. */
export type StartLoop = { type: 'loop'; nodeId: string; items: readonly unknown[]; input: Record<string, unknown> }

export type EngineCommand =
  | StartTask
  | StartLoop
  | { type: 'cancel'; nodeId: string; taskId: string }
  | { type: 'wake'; nodeId: string; atMs: number }

/** The code decides about retries and is part of the value at the output `error`. */
export type NodeFailure = { error: string; code: string; gate?: boolean }

export type Progress = { state: RunState; events: FlowRunEvent[]; commands: EngineCommand[] }

/** A pass that yields regularly, so that its caller can serve other work. */
export type Slices = Generator<undefined, Progress>

export type Pass = Progress & {
  plan: Plan
  chance: Chance
  ready: string[]
  /** The remaining bytes and steps of this pass's utility nodes. */
  budget: { bytes: number } & CelBudget
}

/**
 * Values may share parts, so that a few nodes can represent an exponentially large text: everything stored is limited.
 */
export const passLimits = {
  bytes: 32 * 1024 * 1024,
  celSteps: 10_000_000,
  resultBytes: 4 * 1024 * 1024,
  taskInputBytes: 10 * 1024 * 1024,
  runOutputBytes: 10 * 1024 * 1024,
} as const

export const newPass = (plan: Plan, state: RunState, chance: Chance): Pass => ({
  plan,
  state,
  chance,
  events: [],
  commands: [],
  ready: [],
  budget: { bytes: passLimits.bytes, steps: passLimits.celSteps },
})

export const emit = (pass: Pass, event: FlowRunEvent): void => {
  applyEvent(pass.plan, pass.state, event)
  pass.events.push(event)
}

export const isReady = ({ state }: Pass, id: string): boolean =>
  statusOf(state, id) === 'pending' && state.waiting.get(id) === 0

/** The nodes after one whose end they waited for. */
const readyNext = (pass: Pass, id: string): void => {
  for (const next of planNode(pass.plan, id).feeds) if (isReady(pass, next)) pass.ready.push(next)
}

export const complete = (pass: Pass, id: string, output?: unknown, branch?: string): void => {
  emit(pass, {
    type: 'node_completed',
    node_id: id,
    ...(output !== undefined && { output }),
    ...(branch !== undefined && { branch }),
  })
  readyNext(pass, id)
}

export const skip = (pass: Pass, id: string): void => {
  emit(pass, { type: 'node_skipped', node_id: id })
  readyNext(pass, id)
}

/** Blocks all descendants of a node without a result. */
const block = (pass: Pass, id: string): void => {
  const open = [id]
  for (let by = open.pop(); by !== undefined; by = open.pop()) {
    for (const next of planNode(pass.plan, by).feeds) {
      if (statusOf(pass.state, next) !== 'pending') continue
      emit(pass, { type: 'node_blocked', node_id: next, by })
      open.push(next)
    }
  }
}

/** Stands for the tasks of all items where a single task is named. */
export const loopTask = 'items'

export const cancelRest = (pass: Pass): void => {
  for (const id of pass.plan.nodes.keys()) {
    const node = pass.state.nodes.get(id)
    if (isNodeOver(node?.status ?? 'pending')) continue
    if (node?.status === 'running') pass.commands.push({ type: 'cancel', nodeId: id, taskId: node.taskId })
    if (node?.status === 'waiting' && node.kind === 'items')
      pass.commands.push({ type: 'cancel', nodeId: id, taskId: loopTask })
    emit(pass, { type: 'node_cancelled', node_id: id })
  }
}

/** After a failure of a node: fails the run at once, or after the other branches. */
export const propagateFailure = (pass: Pass, id: string): void => {
  block(pass, id)
  if (!pass.state.failOnError) return
  const error = failureText(pass) ?? 'a node failed'
  cancelRest(pass)
  emit(pass, { type: 'run_failed', error })
}

/** `gate`: the failure blocks later nodes without failing the run. */
export const fail = (pass: Pass, id: string, { error, code, gate = false }: NodeFailure): void => {
  const handled = !gate && continuesAtError(planNode(pass.plan, id).data)
  emit(pass, { type: 'node_failed', node_id: id, error, gate, code, ...(handled && { handled }) })
  if (handled) readyNext(pass, id)
  else if (gate) block(pass, id)
  else propagateFailure(pass, id)
}

export const failAttempt = (pass: Pass, node: PlanNode, attempt: number, failure: NodeFailure): void => {
  const next = afterFailure(node.retry, attempt, failure.code, pass.chance.nowMs)
  if (next === 'give up') {
    fail(pass, node.id, failure)
  } else {
    emit(pass, { type: 'node_retried', node_id: node.id, attempt, error: failure.error, retry_at_ms: next.retryAtMs })
    pass.commands.push({ type: 'wake', nodeId: node.id, atMs: next.retryAtMs })
  }
}

const namedFailures = 5
const maxReasonLength = 1_000

/** The failures of the run in graph order; undefined if there are none. */
export const failureText = ({ plan, state }: Pass): string | undefined => {
  const reasons: string[] = []
  for (const id of plan.nodes.keys()) {
    const node = state.nodes.get(id)
    if (!node || !failsRun(node)) continue
    reasons.push(
      node.status === 'failed'
        ? `node "${id}" failed: ${node.error.slice(0, maxReasonLength)}`
        : `node "${id}" was cancelled`,
    )
  }
  const more = reasons.length - namedFailures
  if (more > 0) reasons.splice(namedFailures, more, `and ${more} more`)
  return reasons.length > 0 ? reasons.join('; ') : undefined
}
