// Validates a graph that is replaced as a whole, with the rules of the actions.

import { connectionsIn } from '@millrace/contract/flow-inputs'
import type { NodeData, SentEdge } from '@millrace/contract/flows'
import { dependencies, emptyGraph, type Graph, graphLimits, normalizeGraph } from './graph.ts'
import { connectionFault } from './inputs.ts'
import { deeperThan } from './records.ts'
import { readFlowSchema } from './schema-rules.ts'

export type ReadGraph = { graph: Graph } | { error: string }

export type SentGraph = Omit<Partial<Graph>, 'edges'> & { readonly edges?: readonly SentEdge[] | undefined }

/** Omitted parts are empty. Dangling edges and mappings are dropped. */
export const readGraph = (given: SentGraph): ReadGraph => {
  if (deeperThan(given, graphLimits.payloadDepth)) {
    return { error: `the graph is nested more than ${graphLimits.payloadDepth} levels` }
  }
  const edges = (given.edges ?? []).map((edge) => ({ ...edge, type: edge.type ?? 'default' }))
  const graph = normalizeGraph({ ...emptyGraph(), ...given, edges })
  const fault = countFault(graph) ?? duplicateFault(graph) ?? inputFault(graph) ?? schemaFault(graph)
  if (fault !== undefined) return { error: fault }
  if (hasCycle(graph)) return { error: 'the graph has a cycle' }
  return { graph: { ...graph, node_data: withoutEmbeds(graph.node_data) } }
}

const withoutEmbeds = (nodeData: Record<string, NodeData>): Record<string, NodeData> =>
  Object.fromEntries(Object.entries(nodeData).map(([id, { app: _app, task: _task, ...data }]) => [id, data]))

const countFault = ({ nodes, edges }: Graph): string | undefined => {
  if (nodes.length > graphLimits.nodes) return `a flow can have at most ${graphLimits.nodes} nodes`
  return edges.length > graphLimits.edges ? `a flow can have at most ${graphLimits.edges} edges` : undefined
}

const repeated = (ids: readonly string[]): string | undefined => {
  const seen = new Set<string>()
  return ids.find((id) => seen.has(id) || !seen.add(id))
}

const duplicateFault = ({ nodes, edges }: Graph): string | undefined => {
  const node = repeated(nodes.map((one) => one.id))
  if (node !== undefined) return `node "${node}" appears twice`
  const edge = repeated(edges.map((one) => one.id))
  return edge === undefined ? undefined : `edge "${edge}" appears twice`
}

const inputFault = (graph: Graph): string | undefined => {
  const known = new Set(graph.nodes.map((node) => node.id))
  for (const [nodeId, inputs] of Object.entries(graph.input)) {
    for (const [key, input] of Object.entries(inputs)) {
      const fault = connectionFault(input)
      if (fault !== undefined) return `input "${key}" of node "${nodeId}": ${fault}`
      const lost = connectionsIn(input).find((connection) => !known.has(connection.nodeId))
      if (lost) return `input "${key}" of node "${nodeId}" is connected to "${lost.nodeId}", which does not exist`
    }
  }
  return undefined
}

const schemaFault = (graph: Graph): string | undefined => {
  for (const name of ['input_schema', 'output_schema'] as const) {
    const read = readFlowSchema(graph[name])
    if ('error' in read) return `${name}: ${read.error}`
  }
  return undefined
}

/** Repeatedly removes nodes without dependencies; in a cycle, some remain. */
const hasCycle = (graph: Graph): boolean => {
  const waiting = new Map(graph.nodes.map((node) => [node.id, 0]))
  const feeds = Map.groupBy(dependencies(graph), (dependency) => dependency.source)
  for (const { target } of dependencies(graph)) waiting.set(target, (waiting.get(target) ?? 0) + 1)
  const free = [...waiting].filter(([, count]) => count === 0).map(([id]) => id)
  for (const id of free) {
    for (const { target } of feeds.get(id) ?? []) {
      const left = (waiting.get(target) ?? 0) - 1
      waiting.set(target, left)
      if (left === 0) free.push(target)
    }
  }
  return free.length < waiting.size
}
