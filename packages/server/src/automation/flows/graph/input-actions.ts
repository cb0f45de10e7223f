// Actions on the inputs of a node: a plain value, or connections that must have a source and must not create a cycle.

import { connectionsIn, isOrdering } from '@millrace/contract/flow-inputs'
import type { ActionPayloads, GraphAction } from '@millrace/contract/flows'
import { findNode, type Graph, inputsOf, type Outcome, wouldCycle } from './graph.ts'
import { connectionFault } from './inputs.ts'
import { withKey, withoutKey } from './records.ts'

const nodeNotFound = (id: string) => ({ error: `node "${id}" does not exist` })

/** Restores the previous input, or clears it if there was none. */
const restore = (graph: Graph, node_id: string, input_key: string): GraphAction => {
  const inputs = inputsOf(graph, node_id)
  return Object.hasOwn(inputs, input_key)
    ? { type: 'node.set_input', payload: { node_id, input_key, input: inputs[input_key] } }
    : { type: 'node.clear_input', payload: { node_id, input_key } }
}

export const setInput = (graph: Graph, payload: ActionPayloads['node.set_input']): Outcome => {
  const { node_id, input_key, input } = payload
  const node = findNode(graph, node_id)
  if (!node) return nodeNotFound(node_id)
  if (node.type === 'note') return { error: `node "${node_id}" is a note, which has no input` }
  const fault = connectionFault(input)
  if (fault !== undefined) return { error: `payload.input: ${fault}` }

  const connections = connectionsIn(input)
  for (const { nodeId: id } of connections) {
    const source = findNode(graph, id)
    if (!source) return nodeNotFound(id)
    if (source.type === 'note') return { error: `node "${id}" is a note, which has no output` }
  }
  // The replaced input does not count, because replacing it may remove the cycle.
  const without = { ...graph, input: withKey(graph.input, node_id, withoutKey(inputsOf(graph, node_id), input_key)) }
  const sources = connections.filter(isOrdering).map((connection) => connection.nodeId)
  if (wouldCycle(without, sources, node_id)) {
    return { error: `connecting input "${input_key}" of node "${node_id}" would make a cycle` }
  }
  return {
    graph: { ...graph, input: withKey(graph.input, node_id, withKey(inputsOf(graph, node_id), input_key, input)) },
    inverse: [restore(graph, node_id, input_key)],
  }
}

export const clearInput = (graph: Graph, payload: ActionPayloads['node.clear_input']): Outcome => {
  const { node_id, input_key } = payload
  if (!findNode(graph, node_id)) return nodeNotFound(node_id)
  const left = withoutKey(inputsOf(graph, node_id), input_key)
  const input = Object.keys(left).length > 0 ? withKey(graph.input, node_id, left) : withoutKey(graph.input, node_id)
  return { graph: { ...graph, input }, inverse: [restore(graph, node_id, input_key)] }
}
