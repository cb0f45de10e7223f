// The readable values of nodes, and the output of the run as its mappings compose it.
import { urlHandle } from '@millrace/contract/flow-inputs'
import { isRecord } from '@millrace/contract/json'
import type { NodeSource, NodeSources } from './connections.ts'
import { errorHandle, handleOf } from './outputs.ts'
import { readPath } from './paths.ts'
import { hasTaskOutput, type Plan, type PlanNode } from './plan.ts'
import { type RunInput, resolvedInputs } from './run-input.ts'
import type { NodeState, RunState } from './state.ts'

/** Whether the node ended at this output. A switch also has a normal output, which every case reaches. */
export const delivers = ({ type }: PlanNode, node: NodeState | undefined, handle: string): boolean => {
  if (node?.status === 'failed') return node.handled === true && handle === errorHandle
  if (node?.status !== 'completed' || handle === errorHandle) return false
  return handle === (node.branch ?? '') || (handle === '' && type === 'switch')
}

/** The value at the output `error`. */
const failureValue = (nodeId: string, node: NodeState | undefined) =>
  node?.status === 'failed' ? { error: node.error, code: node.code ?? '', node: nodeId } : {}

/**
 * Input nodes provide the run's input, app nodes their task's output, utility nodes their stored result. `urlOf` is the
 * URL that ends the wait of a node.
 */
export const sourcesOf = (
  plan: Plan,
  state: RunState,
  input: RunInput,
  urlOf: (nodeId: string) => string,
): NodeSources => {
  const inputNodes = new Map<string, NodeSource>()
  const resolving = new Set<string>()
  const sources: NodeSources = (nodeId, raw) => {
    const node = plan.nodes.get(nodeId)
    const nodeState = state.nodes.get(nodeId)
    if (!node || node.type === 'outputNode') return undefined
    if (raw === urlHandle) return node.type === 'wait' ? { stored: true, value: urlOf(nodeId) } : undefined
    const handle = handleOf(node.type, node.data, raw)
    if (!delivers(node, nodeState, handle)) return undefined
    if (handle === errorHandle) return { stored: true, value: failureValue(nodeId, nodeState) }
    if (node.type !== 'inputNode')
      return { stored: !hasTaskOutput(node), value: nodeState?.status === 'completed' ? nodeState.output : undefined }
    const known = inputNodes.get(nodeId)
    // Values of a run may connect an input node to itself, which the actions on a graph refuse.
    if (known || resolving.has(nodeId)) return known
    resolving.add(nodeId)
    const offered = { stored: false, value: resolvedInputs(node, input, sources) }
    inputNodes.set(nodeId, offered)
    return offered
  }
  return sources
}

/** Relative to the value; an empty path, or `value` if the value is not a map, selects the whole value. */
export const readMapped = (value: unknown, path: string): unknown =>
  path === '' || (path === 'value' && !isRecord(value)) ? value : readPath(value, path)

/** A mapping without a value is omitted. A flow without mappings returns the input of its output node. */
export const runOutput = (plan: Plan, sources: NodeSources, input: RunInput): Record<string, unknown> => {
  const mappings = Object.entries(plan.mappings)
  if (mappings.length === 0) {
    const outputs = Array.from(plan.nodes.values()).filter((node) => node.type === 'outputNode')
    return Object.assign({}, ...outputs.map((node) => resolvedInputs(node, input, sources)))
  }
  const gathered = mappings.map(([field, { sourceNodeId, sourceFieldPath = '' }]) => {
    const source = sources(sourceNodeId)
    return [field, source && readMapped(source.value, sourceFieldPath)] as const
  })
  return Object.fromEntries(gathered.filter(([, value]) => value !== undefined))
}
