// The graph of a flow as the editor draws it: the ports of each node and the connections between them. Pure.
import type { App } from '@millrace/contract/apps'
import type { ReplyOf } from '@millrace/contract/call'
import type { Connection, Flow, FlowGraph, FlowNode, NodeData } from '@millrace/contract/flows'
import { resolve, type Schema, typesOf } from '../forms/schema.ts'
import { strings } from './strings.ts'

export type Port = { key: string; type: string; required: boolean }

export type Line = {
  id: string
  source: string
  sourceKey: string
  target: string
  targetKey: string
  /** The id of an edge that only orders two nodes and carries no value. */
  edgeId?: string
}

/** The input and output node of a flow cannot be removed. */
export const isFixed = ({ type }: Pick<FlowNode, 'type'>): boolean => type === 'inputNode' || type === 'outputNode'

/** A port that accepts any connection. The new field is named after the source. */
export const openPort = '+'
/** The port of the complete output. */
export const wholePort = ''
/** Orders two nodes without a value. */
export const afterPort = '>'
const branchMark = '@'

/** The port of a named output, such as a case of a switch. */
export const branchPort = (handle: string): string => `${branchMark}${handle}`

export const branchOf = (port: string): string | undefined =>
  port.startsWith(branchMark) ? port.slice(branchMark.length) : undefined

/** A connection from a port, and the port of a connection. */
export const connectionFrom = (nodeId: string, port: string): Connection => {
  const handle = branchOf(port)
  return handle === undefined ? { nodeId, key: port } : { nodeId, key: wholePort, handle }
}

export const portOf = ({ key, handle }: Pick<Connection, 'key' | 'handle'>): string =>
  handle ? branchPort(handle) : (key ?? wholePort)

/** The named outputs of a node. */
export const branchesOf = (graph: FlowGraph, { id, type }: Pick<FlowNode, 'id' | 'type'>): string[] => {
  const data = graph.node_data[id] ?? {}
  const cases = type === 'switch' ? [...(data.switch?.cases ?? []).map(({ name }) => name), 'default'] : []
  const waits = type === 'wait' && data.wait?.mode === 'resume' ? ['timeout', 'url'] : []
  return [...cases, ...waits, ...(data.on_error === 'branch' ? ['error'] : [])]
}

type Order = { hasBranches: boolean; targets: ReadonlySet<string> }
const orders = new WeakMap<FlowGraph, Order>()

const orderOf = (graph: FlowGraph): Order => {
  const known = orders.get(graph)
  if (known) return known
  const hasBranches = graph.nodes.some((node) => branchesOf(graph, node).length > 0)
  const order = {
    hasBranches,
    targets: new Set(linesOf(graph).flatMap(({ edgeId, target }) => (edgeId === undefined ? [] : [target]))),
  }
  orders.set(graph, order)
  return order
}

/** The port for edges without a value, where the graph uses such edges. */
const orderPorts = (graph: FlowGraph, id: string): Port[] => {
  const { hasBranches, targets } = orderOf(graph)
  return hasBranches || targets.has(id) ? [port(afterPort)] : []
}

const fieldsOf = (given: unknown): Port[] => {
  const root = (given ?? {}) as Schema
  const schema = resolve(root, root)
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {}).map(([key, each]) => ({
    key,
    type: typesOf(resolve(each, root)).join(' | ') || 'any',
    required: required.has(key),
  }))
}

export type Agent = ReplyOf<'agents.get'>

/** The apps and agents that the nodes of a graph refer to, by id. */
export type GraphResources = { apps: ReadonlyMap<string, App>; agents: ReadonlyMap<string, Agent> }

const functionOf = (app: App | undefined, data: NodeData) => {
  const name = data.function || app?.version?.default_function || 'run'
  return app?.version?.functions[name]
}

/** The input of every agent node. */
const agentInput: Schema = {
  type: 'object',
  required: ['text'],
  properties: {
    text: {
      type: 'string',
      title: strings.node.agentText,
      description: strings.node.agentTextHelp,
      format: 'textarea',
    },
    context: {
      type: 'object',
      title: strings.node.agentContext,
      description: strings.node.agentContextHelp,
      additionalProperties: {},
    },
  },
}

/** The schemas of a node, from its app or agent; undefined for built-in nodes. */
export const schemasOf = (
  graph: FlowGraph,
  { id, type }: FlowNode,
  { apps, agents }: GraphResources,
): { input: unknown; output: unknown } | undefined => {
  const data = graph.node_data[id] ?? {}
  if (type === 'agentNode')
    return { input: agentInput, output: agents.get(data.agent_id ?? '')?.version?.output_schema }
  if (type !== 'appNode') return undefined
  const called = functionOf(apps.get(data.app_id ?? ''), data)
  return { input: called?.input_schema, output: called?.output_schema }
}

const usedKeys = (graph: FlowGraph, id: string): Port[] =>
  Object.keys(graph.input[id] ?? {}).map((key) => ({ key, type: 'any', required: false }))

const port = (key: string): Port => ({ key, type: 'any', required: false })

export const inputsOf = (graph: FlowGraph, node: FlowNode, known: GraphResources): Port[] => {
  if (node.type === 'inputNode' || node.type === 'note') return []
  const order = orderPorts(graph, node.id)
  if (node.type === 'constant') return order
  const schemas = schemasOf(graph, node, known)
  if (!schemas) return [...order, ...usedKeys(graph, node.id), port(openPort)]
  const fields = fieldsOf(schemas.input)
  const names = new Set(fields.map(({ key }) => key))
  return [...order, ...fields, ...usedKeys(graph, node.id).filter(({ key }) => !names.has(key))]
}

export const outputsOf = (graph: FlowGraph, node: FlowNode, known: GraphResources): Port[] => {
  if (node.type === 'outputNode' || node.type === 'note') return []
  if (node.type === 'inputNode') return fieldsOf(graph.input_schema)
  const branches = branchesOf(graph, node).map((handle) => port(branchPort(handle)))
  return [port(wholePort), ...fieldsOf(schemasOf(graph, node, known)?.output), ...branches]
}

type Connected = { connection: { nodeId: string; key?: string; handle?: string } }

export const isConnection = (input: unknown): input is Connected =>
  typeof input === 'object' && input !== null && 'connection' in input

export const linesOf = (graph: FlowGraph): Line[] => {
  const handed = Object.entries(graph.input).flatMap(([target, inputs]) =>
    Object.entries(inputs).flatMap(([targetKey, input]) =>
      isConnection(input)
        ? [
            {
              id: `${input.connection.nodeId} ${portOf(input.connection)} ${target} ${targetKey}`,
              source: input.connection.nodeId,
              sourceKey: portOf(input.connection),
              target,
              targetKey,
            },
          ]
        : [],
    ),
  )
  const pairs = new Set(handed.map(({ source, target }) => `${source} ${target}`))
  const branches = new Map(graph.nodes.map((node) => [node.id, new Set(branchesOf(graph, node))]))
  const ordering = graph.edges
    .map((edge) => ({ ...edge, branch: branches.get(edge.source)?.has(edge.source_handle ?? '') ?? false }))
    .filter(({ source, target, branch }) => branch || !pairs.has(`${source} ${target}`))
    .map(({ id, source, target, source_handle, branch }) => ({
      id,
      edgeId: id,
      source,
      sourceKey: branch ? branchPort(source_handle ?? '') : wholePort,
      target,
      targetKey: afterPort,
    }))
  return [...handed, ...ordering]
}

/** A node id that is not used yet, derived from the kind of node. */
export const uniqueId = (graph: FlowGraph, base: string): string => {
  const taken = new Set(graph.nodes.map(({ id }) => id))
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}_${number}`
    if (!taken.has(id)) return id
  }
}

/** The name of the field that a connection to an open port creates: the name of the source, made unique. */
export const uniqueKey = (graph: FlowGraph, target: string, wanted: string): string => {
  const taken = new Set(Object.keys(graph.input[target] ?? {}))
  const base = wanted === wholePort ? 'value' : (branchOf(wanted) ?? wanted)
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? base : `${base}_${number}`
    if (!taken.has(key)) return key
  }
}

export const typesFit = (from: string, to: string): boolean =>
  from === 'any' || to === 'any' || from === to || (from === 'integer' && to === 'number')

/** Whether a published flow has edits that its triggers and callers do not run yet. */
export const hasUnpublishedChanges = ({ published_version: published, draft_version: draft }: Flow): boolean =>
  published != null && draft != null && draft.graph_version > published.graph_version
