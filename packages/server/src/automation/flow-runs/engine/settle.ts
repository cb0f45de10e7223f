// Runs the ready nodes of a pass until none is left.

import type { ForEach } from '@millrace/contract/flow-control'
import type { NodeWaitKind } from '@millrace/contract/flow-runs'
import type { NodeSources } from './connections.ts'
import { jsonSize } from './json-size.ts'
import { isJoin } from './outputs.ts'
import {
  complete,
  emit,
  fail,
  failureText,
  type NodeFailure,
  type Pass,
  passLimits,
  type Slices,
  skip,
} from './pass.ts'
import { isTaskNode, type PlanNode, planNode } from './plan.ts'
import { deadlineMs } from './retry.ts'
import { type RunInput, readRunInput, resolvedInputs } from './run-input.ts'
import { delivers, runOutput, sourcesOf } from './run-output.ts'
import { startTaskOf } from './start-task.ts'
import { repetitionOf } from './state.ts'
import { isRunOver } from './statuses.ts'
import { chooseCase, evaluateWhen } from './switch.ts'
import { evaluateUtility, type UtilityResult } from './utility.ts'
import { planWait } from './wait.ts'

type Inputs = Record<string, unknown>

const maxItems = 10_000

const startTask = (pass: Pass, node: PlanNode, input: Inputs): void => {
  const { id, timeoutMs } = node
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
  pass.commands.push(startTaskOf(node, { taskId, attempt, input, deadlineMs: deadline }))
}

/** A node whose dependencies chose other outputs is skipped, and so are the nodes after it, up to a join. */
const isSkipped = ({ plan, state }: Pass, { type, needs, special }: PlanNode): boolean => {
  if (!plan.skips || needs.length === 0) return false
  const isMissing = (id: string): boolean => {
    const { handles } = special.get(id) ?? { handles: [''] }
    const source = planNode(plan, id)
    return !handles.some((handle) => delivers(source, state.nodes.get(id), handle))
  }
  if (isJoin(type)) return needs.every(isMissing)
  return needs.some((id) => special.get(id)?.optional !== true && isMissing(id))
}

const invalid = (error: string): NodeFailure => ({ error, code: 'invalid_node' })
const tooLarge = (error: string): NodeFailure => ({ error, code: 'too_large' })
const wrongExpression = (error: string): NodeFailure => ({ error, code: 'expression_failed' })

const runNode = (pass: Pass, node: PlanNode, input: RunInput, sources: NodeSources): void => {
  if (node.fault !== undefined) fail(pass, node.id, invalid(node.fault))
  else if (isSkipped(pass, node)) skip(pass, node.id)
  else if (node.type === 'inputNode' || node.type === 'outputNode') complete(pass, node.id)
  else runWithInputs(pass, node, resolvedInputs(node, input, sources))
}

const runWithInputs = (pass: Pass, node: PlanNode, inputs: Inputs): void => {
  // A node that is started again has passed its condition.
  const condition = pass.state.nodes.has(node.id) ? undefined : (node.data.when ?? undefined)
  const verdict = condition === undefined ? { holds: true } : evaluateWhen(condition, { input: inputs }, pass.budget)
  if ('error' in verdict) fail(pass, node.id, wrongExpression(`the condition \`when\`: ${verdict.error}`))
  else if (!verdict.holds) skip(pass, node.id)
  else if (isTaskNode(node.type)) runTask(pass, node, inputs)
  else if (node.type === 'wait') startWait(pass, node, inputs)
  else if (node.type === 'switch') runSwitch(pass, node, inputs)
  else runUtility(pass, node, inputs)
}

const runTask = (pass: Pass, node: PlanNode, inputs: Inputs): void => {
  const limit = passLimits.taskInputBytes
  const { for_each: loop, repeat } = node.data
  const { carried } = repetitionOf(pass.state.nodes.get(node.id))
  const input = repeat?.carry && carried !== undefined ? { ...inputs, [repeat.carry]: carried } : inputs
  if (jsonSize(input, limit) > limit) fail(pass, node.id, tooLarge(`its input is larger than ${limit} bytes`))
  else if (loop) startLoop(pass, node, loop, input)
  else startTask(pass, node, input)
}

const startLoop = (pass: Pass, { id }: PlanNode, { input: key }: ForEach, inputs: Inputs): void => {
  const { [key]: items, ...input } = inputs
  if (!Array.isArray(items)) fail(pass, id, invalid(`input "${key}" of a loop must be an array`))
  else if (items.length > maxItems)
    fail(pass, id, tooLarge(`a loop has at most ${maxItems} items; input "${key}" has ${items.length}`))
  else if (items.length === 0) complete(pass, id, [])
  else {
    suspend(pass, id, 'items', undefined)
    pass.commands.push({ type: 'loop', nodeId: id, items, input })
  }
}

const startWait = (pass: Pass, { id, data }: PlanNode, inputs: Inputs): void => {
  const { nowMs } = pass.chance
  const wait = planWait(data.wait ?? { mode: 'duration' }, inputs, nowMs)
  if ('error' in wait) fail(pass, id, invalid(wait.error))
  else if (wait.kind === 'time' && wait.untilMs !== undefined && wait.untilMs <= nowMs) complete(pass, id)
  else suspend(pass, id, wait.kind, wait.untilMs)
}

const suspend = (pass: Pass, id: string, kind: NodeWaitKind, untilMs: number | undefined): void => {
  emit(pass, { type: 'node_waiting', node_id: id, kind, ...(untilMs !== undefined && { until_ms: untilMs }) })
  if (untilMs !== undefined) pass.commands.push({ type: 'wake', nodeId: id, atMs: untilMs })
}

const runSwitch = (pass: Pass, { id, data }: PlanNode, inputs: Inputs): void => {
  const chosen = chooseCase(data.switch ?? { cases: [] }, inputs, pass.budget)
  if ('error' in chosen) fail(pass, id, wrongExpression(chosen.error))
  else store(pass, id, inputs, chosen.branch)
}

const runUtility = (pass: Pass, node: PlanNode, inputs: Inputs): void => {
  const { budget } = pass
  budget.bytes -= jsonSize(inputs, budget.bytes)
  if (budget.bytes < 0) fail(pass, node.id, tooLarge(tooMuchAtOnce))
  else storeResult(pass, node, evaluateUtility(node.type, node.data, inputs, pass.chance.random, budget))
}

const storeResult = (pass: Pass, { id }: PlanNode, result: UtilityResult): void => {
  if ('error' in result) fail(pass, id, { ...wrongExpression(result.error), gate: result.gate })
  else store(pass, id, result.output)
}

/** Ends a node with a result that the run stores. */
export const store = (pass: Pass, id: string, output: unknown, branch?: string): void => {
  const limit = passLimits.resultBytes
  const size = jsonSize(output, limit)
  pass.budget.bytes -= size
  if (size > limit) fail(pass, id, tooLarge(`its result is larger than ${limit} bytes`))
  else if (pass.budget.bytes < 0) fail(pass, id, tooLarge(tooMuchAtOnce))
  else complete(pass, id, output, branch)
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
  const sources = sourcesOf(plan, state, input, pass.chance.urlOf)
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
