// The graph of a flow as the editor draws it: the ports of each node and the connections between them. Pure.
import type { App } from '@millrace/contract/apps'
import type { ReplyOf } from '@millrace/contract/call'
import type { Flow, FlowGraph, FlowNode, NodeData } from '@millrace/contract/flows'
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
export type Known = { apps: ReadonlyMap<string, App>; agents: ReadonlyMap<string, Agent> }

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
  { apps, agents }: Known,
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

const open: Port = { key: openPort, type: 'any', required: false }

export const inputsOf = (graph: FlowGraph, node: FlowNode, known: Known): Port[] => {
  if (node.type === 'inputNode' || node.type === 'note' || node.type === 'constant') return []
  const schemas = schemasOf(graph, node, known)
  if (!schemas) return [...usedKeys(graph, node.id), open]
  const fields = fieldsOf(schemas.input)
  const names = new Set(fields.map(({ key }) => key))
  return [...fields, ...usedKeys(graph, node.id).filter(({ key }) => !names.has(key))]
}

export const outputsOf = (graph: FlowGraph, node: FlowNode, known: Known): Port[] => {
  if (node.type === 'outputNode' || node.type === 'note') return []
  const whole: Port = { key: wholePort, type: 'any', required: false }
  if (node.type === 'inputNode') return fieldsOf(graph.input_schema)
  return [whole, ...fieldsOf(schemasOf(graph, node, known)?.output)]
}

type Connected = { connection: { nodeId: string; key?: string } }

export const isConnection = (input: unknown): input is Connected =>
  typeof input === 'object' && input !== null && 'connection' in input

export const linesOf = (graph: FlowGraph): Line[] => {
  const handed = Object.entries(graph.input).flatMap(([target, inputs]) =>
    Object.entries(inputs).flatMap(([targetKey, input]) =>
      isConnection(input)
        ? [
            {
              id: `${input.connection.nodeId} ${input.connection.key ?? ''} ${target} ${targetKey}`,
              source: input.connection.nodeId,
              sourceKey: input.connection.key ?? wholePort,
              target,
              targetKey,
            },
          ]
        : [],
    ),
  )
  const pairs = new Set(handed.map(({ source, target }) => `${source} ${target}`))
  const ordering = graph.edges
    .filter(({ source, target }) => !pairs.has(`${source} ${target}`))
    .map(({ id, source, target }) => ({ id, edgeId: id, source, sourceKey: wholePort, target, targetKey: openPort }))
  return [...handed, ...ordering]
}

/** A node id that is not used yet, derived from the kind of node. */
export const freshId = (graph: FlowGraph, base: string): string => {
  const taken = new Set(graph.nodes.map(({ id }) => id))
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}_${number}`
    if (!taken.has(id)) return id
  }
}

/** The name of the field that a connection to an open port creates: the name of the source, made unique. */
export const freshKey = (graph: FlowGraph, target: string, wanted: string): string => {
  const taken = new Set(Object.keys(graph.input[target] ?? {}))
  const base = wanted === wholePort ? 'value' : wanted
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
