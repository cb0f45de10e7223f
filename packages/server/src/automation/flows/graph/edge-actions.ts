// Actions on edges. An edge defines order: its target waits for its source.
import type { ActionPayloads, FlowEdge } from '@millrace/contract/flows'
import { findEdge, findNode, type Graph, graphLimits, type Outcome, wouldCycle } from './graph.ts'

export const addEdge = (graph: Graph, payload: ActionPayloads['edge.add']): Outcome => {
  const { id, source, target, type, source_handle, target_handle, index } = payload
  if (findEdge(graph, id)) return { error: `edge "${id}" already exists` }
  if (graph.edges.length >= graphLimits.edges) return { error: `a flow can have at most ${graphLimits.edges} edges` }
  for (const end of [source, target]) {
    const node = findNode(graph, end)
    if (!node) return { error: `node "${end}" does not exist` }
    if (node.type === 'note') return { error: `node "${end}" is a note and cannot be connected` }
  }
  if (wouldCycle(graph, [source], target)) {
    return { error: `an edge from "${source}" to "${target}" would make a cycle` }
  }
  const edge: FlowEdge = {
    id,
    type: type ?? 'default',
    source,
    target,
    ...(typeof source_handle === 'string' && { source_handle }),
    ...(typeof target_handle === 'string' && { target_handle }),
  }
  return {
    graph: { ...graph, edges: graph.edges.toSpliced(index ?? graph.edges.length, 0, edge) },
    inverse: [{ type: 'edge.remove', payload: { id } }],
  }
}

export const removeEdge = (graph: Graph, { id }: ActionPayloads['edge.remove']): Outcome => {
  const index = graph.edges.findIndex((edge) => edge.id === id)
  const edge = graph.edges[index]
  if (!edge) return { error: `edge "${id}" does not exist` }
  return {
    graph: { ...graph, edges: graph.edges.toSpliced(index, 1) },
    inverse: [{ type: 'edge.add', payload: { ...edge, index } }],
  }
}
