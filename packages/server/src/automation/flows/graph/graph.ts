// The graph of a flow as a value, with its dependencies and the detection of cycles.

import { connectionsIn, isOrdering } from '@millrace/contract/flow-inputs'
import type { FlowEdge, FlowGraph, FlowNode, GraphAction } from '@millrace/contract/flows'
import { own } from '@millrace/contract/json'

export type Graph = FlowGraph

/** The result of one action. `inverse` is in order of application. */
export type Outcome = { graph: Graph; inverse: GraphAction[] } | { error: string }

export const graphLimits = {
  nodes: 5_000,
  edges: 20_000,
  payloadDepth: 64,
  /** Size of the JSON text in characters. */
  graphSize: 8 * 1024 * 1024,
  historySize: 8 * 1024 * 1024,
} as const

export const emptyGraph = (): Graph => ({
  nodes: [],
  edges: [],
  node_data: {},
  input: {},
  input_schema: null,
  output_schema: null,
  output_mappings: {},
})

export const findNode = (graph: Graph, id: string): FlowNode | undefined => graph.nodes.find((node) => node.id === id)

export const findEdge = (graph: Graph, id: string): FlowEdge | undefined => graph.edges.find((edge) => edge.id === id)

/** Both kinds of dependency: edges, and the edges that connections imply. */
export const dependencies = (graph: Graph): { source: string; target: string }[] => {
  const found = graph.edges.map(({ source, target }) => ({ source, target }))
  for (const [target, inputs] of Object.entries(graph.input)) {
    for (const connection of Object.values(inputs).flatMap(connectionsIn).filter(isOrdering)) {
      found.push({ source: connection.nodeId, target })
    }
  }
  return found
}

/** True if `target` already leads to one of the sources, so that an edge from source to target would create a cycle. */
export const wouldCycle = (graph: Graph, sources: readonly string[], target: string): boolean => {
  if (sources.length === 0) return false
  const wanted = new Set(sources)
  if (wanted.has(target)) return true
  const next = Map.groupBy(dependencies(graph), (dependency) => dependency.source)
  const seen = new Set([target])
  const open = [target]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { target: reached } of next.get(id) ?? []) {
      if (wanted.has(reached)) return true
      if (!seen.has(reached)) {
        seen.add(reached)
        open.push(reached)
      }
    }
  }
  return false
}

export const inputsOf = (graph: Graph, nodeId: string): Record<string, unknown> => own(graph.input, nodeId) ?? {}

/**
 * Drops dangling references in graphs that arrive as a whole. Actions preserve these invariants themselves: no empty
 * input records, data for exactly the existing nodes, and field names equal to their keys.
 */
export const normalizeGraph = (graph: Graph): Graph => {
  const known = new Set(graph.nodes.map((node) => node.id))
  const kept = <T>(record: Record<string, T>, keep: (key: string, value: T) => boolean) =>
    Object.fromEntries(Object.entries(record).filter(([key, value]) => keep(key, value)))
  return {
    ...graph,
    edges: graph.edges.filter((edge) => known.has(edge.source) && known.has(edge.target)),
    node_data: Object.fromEntries(graph.nodes.map(({ id }) => [id, own(graph.node_data, id) ?? {}])),
    input: kept(graph.input, (id, inputs) => known.has(id) && Object.keys(inputs).length > 0),
    input_schema: graph.input_schema ?? null,
    output_schema: graph.output_schema ?? null,
    output_mappings: Object.fromEntries(
      Object.entries(graph.output_mappings)
        .filter(([, mapping]) => known.has(mapping.sourceNodeId))
        .map(([field, mapping]) => [field, { ...mapping, outputFieldName: field }]),
    ),
  }
}
