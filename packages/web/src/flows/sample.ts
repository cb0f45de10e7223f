// The input of a node in a run: constants as they are, connections resolved from the outputs of that run. Pure.
import type { FlowRun } from '@millrace/contract/flow-runs'
import type { FlowGraph } from '@millrace/contract/flows'
import { isConnection } from './graph-model.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The output of a node: from its task, or from the values that the flow computed itself. */
const givenBy = (run: FlowRun, nodeId: string): unknown => {
  const task = run.node_tasks[nodeId]?.task
  if (isObject(task)) return task.output
  return run.node_outputs?.[nodeId]?.value
}

export const sampleInput = (graph: FlowGraph, nodeId: string, run: FlowRun | undefined): Record<string, unknown> => {
  const isInput = new Set(graph.nodes.flatMap(({ id, type }) => (type === 'inputNode' ? [id] : [])))
  const valueFor = (input: unknown): unknown => {
    if (!isConnection(input)) return input
    if (!run) return null
    const { nodeId: source, key } = input.connection
    const whole = isInput.has(source) ? run.input : givenBy(run, source)
    if (key === undefined || key === '') return whole ?? null
    return (isObject(whole) ? whole[key] : undefined) ?? null
  }
  return Object.fromEntries(Object.entries(graph.input[nodeId] ?? {}).map(([key, input]) => [key, valueFor(input)]))
}
