// One pass over a run: the implementation of advance.ts by events. A pass owns and modifies its state.
import type { FlowRunEvent } from '@millrace/contract/flow-runs'
import type { CelBudget } from '#platform/cel/cel.ts'
import type { Sources } from './connections.ts'
import { applyEvent } from './events.ts'
import { jsonSize } from './json-size.ts'
import { agentOf, isTaskNode, type Plan, type PlanNode, planNode } from './plan.ts'
import { afterFailure, deadlineMs } from './retry.ts'
import { type RunInput, readRunInput, resolvedInputs } from './run-input.ts'
import { runOutput, sourcesOf } from './run-output.ts'
import { endsBadly, type RunState, statusOf } from './state.ts'
import { isNodeOver, isRunOver } from './statuses.ts'
import { evaluateUtility } from './utility.ts'

/** The inputs that are not functions of graph and run: time and randomness. */
export type Chance = { nowMs: number; random: () => number; newTaskId: () => string }

export type StartTask = {
  type: 'start'
  nodeId: string
  taskId: string
  attempt: number
  appId: string
  appVersionId: string
  function: string
  infra: string
  workers: string[]
  setup: unknown
  input: Record<string, unknown>
  /** For an agent node, which has no app. */
  agent?: { name: string; versionId: string }
  deadlineMs?: number
}

export type Command =
  | StartTask
  | { type: 'cancel'; nodeId: string; taskId: string }
  | { type: 'wake'; nodeId: string; atMs: number }

export type Progress = { state: RunState; events: FlowRunEvent[]; commands: Command[] }

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

export const complete = (pass: Pass, id: string, output?: unknown): void => {
  emit(pass, { type: 'node_completed', node_id: id, ...(output !== undefined && { output }) })
  for (const next of planNode(pass.plan, id).feeds) if (isReady(pass, next)) pass.ready.push(next)
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

export const cancelRest = (pass: Pass): void => {
  for (const id of pass.plan.nodes.keys()) {
    const node = pass.state.nodes.get(id)
    if (isNodeOver(node?.status ?? 'pending')) continue
    if (node?.status === 'running') pass.commands.push({ type: 'cancel', nodeId: id, taskId: node.taskId })
    emit(pass, { type: 'node_cancelled', node_id: id })
  }
}

/** After a failure of a node: fails the run at once, or after the other branches. */
export const sufferFailure = (pass: Pass, id: string): void => {
  block(pass, id)
  if (!pass.state.failOnError) return
  const error = failureText(pass) ?? 'a node failed'
  cancelRest(pass)
  emit(pass, { type: 'run_failed', error })
}

const fail = (pass: Pass, id: string, error: string, gate: boolean): void => {
  emit(pass, { type: 'node_failed', node_id: id, error, gate })
  if (gate) block(pass, id)
  else sufferFailure(pass, id)
}

export const failAttempt = (pass: Pass, node: PlanNode, attempt: number, error: string): void => {
  const next = afterFailure(node.retry, attempt, pass.chance.nowMs)
  if (next === 'give up') {
    fail(pass, node.id, error, false)
  } else {
    emit(pass, { type: 'node_retried', node_id: node.id, attempt, error, retry_at_ms: next.retryAtMs })
    pass.commands.push({ type: 'wake', nodeId: node.id, atMs: next.retryAtMs })
  }
}

const startTask = (pass: Pass, { id, type, data, timeoutMs }: PlanNode, input: Record<string, unknown>): void => {
  const before = pass.state.nodes.get(id)
  const attempt = before?.status === 'ready' ? before.attempt + 1 : 1
  const taskId = pass.chance.newTaskId()
  const deadline = deadlineMs(timeoutMs, pass.chance.nowMs)
  emit(pass, {
    type: 'node_started',
    node_id: id,
    attempt,
    task_id: taskId,
    ...(deadline !== undefined && { deadline_ms: deadline }),
  })
  pass.commands.push({
    type: 'start',
    nodeId: id,
    taskId,
    attempt,
    appId: data.app_id ?? '',
    appVersionId: data.app_version_id ?? '',
    function: data.function ?? '',
    infra: data.infra ?? '',
    workers: data.workers ?? [],
    setup: data.setup ?? null,
    input,
    ...(type === 'agentNode' && { agent: { name: agentOf(data), versionId: data.agent_version_id ?? '' } }),
    ...(deadline !== undefined && { deadlineMs: deadline }),
  })
}

const runNode = (pass: Pass, node: PlanNode, input: RunInput, sources: Sources): void => {
  if (node.fault !== undefined) fail(pass, node.id, node.fault, false)
  else if (node.type === 'inputNode' || node.type === 'outputNode') complete(pass, node.id)
  else if (isTaskNode(node.type)) runTask(pass, node, resolvedInputs(node, input, sources))
  else runUtility(pass, node, resolvedInputs(node, input, sources))
}

const runTask = (pass: Pass, node: PlanNode, inputs: Record<string, unknown>): void => {
  const limit = passLimits.taskInputBytes
  if (jsonSize(inputs, limit) > limit) fail(pass, node.id, `its input is larger than ${limit} bytes`, false)
  else startTask(pass, node, inputs)
}

const runUtility = (pass: Pass, node: PlanNode, inputs: Record<string, unknown>): void => {
  const { budget } = pass
  budget.bytes -= jsonSize(inputs, budget.bytes)
  if (budget.bytes < 0) {
    fail(pass, node.id, tooMuchAtOnce, false)
    return
  }
  const result = evaluateUtility(node.type, node.data, inputs, pass.chance.random, budget)
  if ('error' in result) {
    fail(pass, node.id, result.error, result.gate)
    return
  }
  const limit = passLimits.resultBytes
  const size = jsonSize(result.output, limit)
  budget.bytes -= size
  if (size > limit) fail(pass, node.id, `its result is larger than ${limit} bytes`, false)
  else if (budget.bytes < 0) fail(pass, node.id, tooMuchAtOnce, false)
  else complete(pass, node.id, result.output)
}

const tooMuchAtOnce = `one step of the run handles more than ${passLimits.bytes} bytes`

/** Expression steps or measured bytes per slice, which takes some milliseconds. */
const sliceSteps = 50_000
const bytesPerStep = 64

const spent = ({ budget }: Pass): number =>
  passLimits.celSteps - budget.steps + (passLimits.bytes - budget.bytes) / bytesPerStep

/** Runs all ready nodes until none is left, and ends the run if nothing is pending. */
export function* settle(pass: Pass): Slices {
  const { plan, state, events, commands } = pass
  const input = readRunInput(plan, state.input)
  const sources = sourcesOf(plan, state, input)
  // The list grows during the iteration: completing a node appends the nodes that become ready.
  let stoppedAt = 0
  for (const id of pass.ready) {
    if (isRunOver(state.status)) break
    if (spent(pass) - stoppedAt > sliceSteps) {
      stoppedAt = spent(pass)
      yield
    }
    runNode(pass, planNode(plan, id), input, sources)
  }
  if (!isRunOver(state.status) && state.unfinished === 0) {
    const error = failureText(pass)
    if (error !== undefined) emit(pass, { type: 'run_failed', error })
    else completeRun(pass, runOutput(plan, sources, input))
  }
  return { state, events, commands }
}

const completeRun = (pass: Pass, output: Record<string, unknown>): void => {
  const limit = passLimits.runOutputBytes
  if (jsonSize(output, limit) <= limit) emit(pass, { type: 'run_completed', output })
  else emit(pass, { type: 'run_failed', error: `the output of the run is larger than ${limit} bytes` })
}

const namedFailures = 5
const maxReasonLength = 1_000

/** The failures of the run in graph order; undefined if there are none. */
const failureText = ({ plan, state }: Pass): string | undefined => {
  const reasons: string[] = []
  for (const id of plan.nodes.keys()) {
    const node = state.nodes.get(id)
    if (!node || !endsBadly(node)) continue
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
