// Decides after each run of a repeated node whether it runs again.
import type { Repeat } from '@millrace/contract/flow-control'
import { complete, emit, fail, type Pass } from './pass.ts'
import type { PlanNode } from './plan.ts'
import { readRunInput, resolvedInputs } from './run-input.ts'
import { sourcesOf } from './run-output.ts'
import { repetitionOf } from './state.ts'
import { evaluateWhen } from './switch.ts'

/** `true`: the node is done. Without a condition, the node runs `max` times. */
const isDone = (pass: Pass, node: PlanNode, output: unknown, turn: number) => {
  const until = node.data.repeat?.until ?? undefined
  if (until === undefined) return { holds: turn >= (node.data.repeat?.max ?? 1) }
  const { plan, state, chance } = pass
  const runInput = readRunInput(plan, state.input)
  const input = resolvedInputs(node, runInput, sourcesOf(plan, state, runInput, chance.urlOf))
  return evaluateWhen(until, { input, output, turn }, pass.budget)
}

/** Completes a task node, or repeats it. */
export const completeTask = (pass: Pass, node: PlanNode, output: unknown): void => {
  if (node.data.repeat) completeTurn(pass, node, node.data.repeat, output)
  else complete(pass, node.id, output)
}

const completeTurn = (pass: Pass, node: PlanNode, repeat: Repeat, output: unknown): void => {
  const { turn = 1 } = repetitionOf(pass.state.nodes.get(node.id))
  const done = isDone(pass, node, output, turn)
  if ('error' in done) {
    fail(pass, node.id, { error: `the condition \`until\`: ${done.error}`, code: 'expression_failed' })
  } else if (done.holds) {
    complete(pass, node.id, output)
  } else if (turn >= repeat.max) {
    fail(pass, node.id, { error: `\`until\` did not hold after ${repeat.max} repetitions`, code: 'limit_reached' })
  } else {
    repeatNode(pass, node, output, turn + 1)
  }
}

const repeatNode = (pass: Pass, { id, data }: PlanNode, output: unknown, turn: number): void => {
  const delayMs = data.repeat?.delay_ms ?? 0
  const againAtMs = pass.chance.nowMs + delayMs
  const carried = data.repeat?.carry ? { carried: output } : {}
  emit(pass, { type: 'node_repeated', node_id: id, turn, again_at_ms: againAtMs, ...carried })
  if (delayMs === 0) pass.ready.push(id)
  else pass.commands.push({ type: 'wake', nodeId: id, atMs: againAtMs })
}
