// A graph compiled for execution: dependencies are computed once per flow version and shared by all its runs.
import { type ConnectedInput, connectedInputsIn, isOrdering } from '@millrace/contract/flow-inputs'
import type { FlowEdge, FlowGraph, FlowNode, NodeData, OutputMapping } from '@millrace/contract/flows'
import { own } from '@millrace/contract/json'
import { dependencyOf, handleOf, type NodeDependency } from './outputs.ts'
import { type RetryPlan, readRetry } from './retry.ts'
import { switchFault } from './switch.ts'

export type PlanNode = {
  id: string
  type: FlowNode['type']
  data: NodeData
  /** Input key to Input: plain values and connections. */
  inputs: Record<string, unknown>
  /** Each upstream node once, whether connected by an edge, a connection or both. */
  needs: readonly string[]
  /** The dependencies that are more than the normal output of a node. */
  special: ReadonlyMap<string, NodeDependency>
  feeds: readonly string[]
  retry: RetryPlan
  timeoutMs?: number
  /** The reason why this node always fails. */
  fault?: string
}

export type Plan = {
  nodes: ReadonlyMap<string, PlanNode>
  mappings: Readonly<Record<string, OutputMapping>>
  inputSchema: unknown
  /** Whether nodes can be skipped. */
  skips: boolean
  loops: boolean
}

/** Nodes with the result of a task: of an app, or of the task that represents the run of an agent or a flow. */
export const isTaskNode = (type: FlowNode['type']): boolean =>
  type === 'appNode' || type === 'agentNode' || type === 'flow'

/** A loop stores the list of its results, which are those of many tasks. */
export const hasTaskOutput = ({ type, data }: Pick<PlanNode, 'type' | 'data'>): boolean =>
  isTaskNode(type) && !data.for_each

/** The agent of a node, by ref or id. */
export const agentOf = ({ agent, agent_id: id }: NodeData): string =>
  typeof agent === 'string' && agent !== '' ? agent : (id ?? '')

const faultOf = (node: FlowNode, data: NodeData, inCycle: boolean): string | undefined => {
  if (inCycle) return 'the node is part of a cycle'
  if (node.type === 'agentNode' && !agentOf(data)) return 'the node has no agent'
  if (node.type === 'appNode' && !data.app_id) return 'the node has no app'
  if (node.type === 'flow' && !data.flow) return 'the node has no flow'
  if (node.type === 'switch') return switchFault(data.switch)
  if (data.for_each && data.repeat) return 'a node cannot have both `for_each` and `repeat`'
  if (node.type === 'wait' && !data.wait) return 'the node does not say what it waits for'
  return undefined
}

/** The edges and connections between each pair of nodes, by target and source. */
type Links = Map<string, Map<string, { edges: FlowEdge[]; inputs: ConnectedInput[] }>>

const linksOf = (graph: FlowGraph, running: readonly FlowNode[]): Links => {
  const links: Links = new Map(running.map(({ id }) => [id, new Map()]))
  const between = (source: string, target: string) => {
    const sources = links.get(target)
    if (!sources || !links.has(source)) return undefined
    const known = sources.get(source) ?? { edges: [], inputs: [] }
    sources.set(source, known)
    return known
  }
  for (const edge of graph.edges) between(edge.source, edge.target)?.edges.push(edge)
  for (const { id } of running) {
    for (const input of Object.values(own(graph.input, id) ?? {}).flatMap(connectedInputsIn)) {
      if (isOrdering(input.connection)) between(input.connection.nodeId, id)?.inputs.push(input)
    }
  }
  return links
}

const specialNeeds = (graph: FlowGraph, types: ReadonlyMap<string, FlowNode['type']>, links: Links, id: string) => {
  const special = new Map<string, NodeDependency>()
  for (const [source, { edges, inputs }] of links.get(id) ?? []) {
    const [type, data] = [types.get(source) ?? 'note', own(graph.node_data, source) ?? {}]
    const need = dependencyOf((raw) => handleOf(type, data, raw), edges, inputs)
    if (need.optional || need.handles.some((handle) => handle !== '')) special.set(source, need)
  }
  return special
}

/** Notes do not run. Edges and connections to missing nodes are ignored. */
export const compilePlan = (graph: FlowGraph): Plan => {
  const running = graph.nodes.filter((node) => node.type !== 'note')
  const links = linksOf(graph, running)
  const needs = new Map(Array.from(links, ([id, sources]) => [id, new Set(sources.keys())]))
  // Actions keep cycles out of a graph. If one exists nevertheless, its nodes fail instead of waiting forever.
  const cyclic = nodesInCycles(needs)
  for (const id of cyclic) needs.set(id, new Set())

  const feeds = new Map<string, string[]>(running.map(({ id }) => [id, []]))
  for (const [id, sources] of needs) for (const source of sources) feeds.get(source)?.push(id)

  const types = new Map(running.map(({ id, type }) => [id, type]))
  const nodes = new Map<string, PlanNode>()
  for (const node of running) {
    const data = own(graph.node_data, node.id) ?? {}
    const fault = faultOf(node, data, cyclic.has(node.id))
    nodes.set(node.id, {
      id: node.id,
      type: node.type,
      data,
      inputs: own(graph.input, node.id) ?? {},
      needs: [...(needs.get(node.id) ?? [])],
      special: specialNeeds(graph, types, links, node.id),
      feeds: feeds.get(node.id) ?? [],
      retry: readRetry(data.retry),
      ...(typeof data.timeout_ms === 'number' && { timeoutMs: data.timeout_ms }),
      ...(fault !== undefined && { fault }),
    })
  }
  return {
    nodes,
    mappings: graph.output_mappings,
    inputSchema: graph.input_schema,
    skips: Array.from(nodes.values()).some(canSkip),
    loops: Array.from(nodes.values()).some(({ data }) => Boolean(data.for_each)),
  }
}

/** Whether the node, or a node after it, can be skipped. */
const canSkip = ({ type, data }: PlanNode): boolean =>
  type === 'switch' || type === 'wait' || data.on_error === 'branch' || typeof data.when === 'string'

/** The nodes that remain after repeatedly removing nodes without dependencies. */
const nodesInCycles = (needs: ReadonlyMap<string, ReadonlySet<string>>): Set<string> => {
  const waiting = new Map<string, number>()
  const feeds = new Map<string, string[]>()
  for (const [id, sources] of needs) {
    waiting.set(id, sources.size)
    for (const source of sources) {
      const fed = feeds.get(source)
      if (fed) fed.push(id)
      else feeds.set(source, [id])
    }
  }
  const free = [...waiting].filter(([, count]) => count === 0).map(([id]) => id)
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    waiting.delete(id)
    for (const next of feeds.get(id) ?? []) {
      const left = (waiting.get(next) ?? 0) - 1
      waiting.set(next, left)
      if (left === 0) free.push(next)
    }
  }
  return new Set(waiting.keys())
}

export const planNode = (plan: Plan, id: string): PlanNode => {
  const node = plan.nodes.get(id)
  if (!node) throw new Error(`node "${id}" is not in the plan`)
  return node
}

/** The nodes and all their descendants. */
export const downstream = (plan: Plan, roots: Iterable<string>): Set<string> => {
  const found = new Set(roots)
  for (const id of found) for (const next of planNode(plan, id).feeds) found.add(next)
  return found
}
