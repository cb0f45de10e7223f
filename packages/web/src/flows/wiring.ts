// The sources that an input can use: outputs of earlier nodes, or an expression in a node of its own. Pure.
import type { FlowAction, FlowGraph, FlowNode, UtilityConfig } from '@millrace/contract/flows'
import {
  branchOf,
  connectionFrom,
  type GraphResources,
  isConnection,
  linesOf,
  outputsOf,
  portOf,
  typesFit,
  uniqueId,
  wholePort,
} from './graph-model.ts'
import { card, placeIn } from './placing.ts'
import { strings } from './strings.ts'

export type Source = { nodeId: string; key: string }

/** The node and all nodes after it. A connection from one of them would create a cycle. */
export const following = (graph: FlowGraph, id: string): ReadonlySet<string> => {
  const lines = linesOf(graph)
  const found = new Set([id])
  for (const each of found) for (const { source, target } of lines) if (source === each) found.add(target)
  return found
}

/** All outputs that can be connected to an input of this type. */
export const sourcesFor = (graph: FlowGraph, nodeId: string, type: string, known: GraphResources): Source[] => {
  const later = following(graph, nodeId)
  return graph.nodes
    .filter(({ id }) => !later.has(id))
    .flatMap((node) =>
      outputsOf(graph, node, known)
        .filter((port) => typesFit(port.type, type))
        .map(({ key }) => ({ nodeId: node.id, key })),
    )
}

export const sourceText = ({ nodeId, key }: Source): string => {
  const branch = branchOf(key)
  if (branch !== undefined) return `${nodeId} → ${branch}`
  return key === wholePort ? nodeId : `${nodeId}.${key}`
}

type Ends = { source: string; target: string; outputType: string; inputType: string }

/** Why two ports cannot be connected, in plain words; undefined when they can. */
export const refusalOf = (graph: FlowGraph, { source, target, outputType, inputType }: Ends): string | undefined => {
  const words = strings.refusals
  if (source === target) return words.itself
  if (following(graph, target).has(source)) return words.cycle(source, target)
  return typesFit(outputType, inputType) ? undefined : words.types(outputType, inputType)
}

const isName = (key: string): boolean => /^[A-Za-z_]\w*$/.test(key)

/** How an expression refers to an input. */
export const inputText = (key: string): string => (isName(key) ? `input.${key}` : `input[${JSON.stringify(key)}]`)

export const connect = (nodeId: string, inputKey: string, source: Source): FlowAction => ({
  type: 'node.set_input',
  payload: { node_id: nodeId, input_key: inputKey, input: { connection: connectionFrom(source.nodeId, source.key) } },
})

/** The node runs after the source, without a value of it. */
export const orderAfter = (graph: FlowGraph, nodeId: string, source: Source): FlowAction => {
  const handle = branchOf(source.key)
  const base = `${source.nodeId}-${nodeId}${handle === undefined ? '' : `-${handle}`}`
  const taken = new Set(graph.edges.map(({ id }) => id))
  const id = taken.has(base) ? `${base}-${taken.size}` : base
  return {
    type: 'edge.add',
    payload: { id, source: source.nodeId, target: nodeId, ...(handle !== undefined && { source_handle: handle }) },
  }
}

/** The expression node connected to an input; undefined for any other input. */
export const expressionBehind = (graph: FlowGraph, input: unknown): FlowNode | undefined => {
  if (!isConnection(input) || (input.connection.key ?? wholePort) !== wholePort) return undefined
  return graph.nodes.find(({ id, type }) => id === input.connection.nodeId && type === 'utility')
}

export const expressionOf = (graph: FlowGraph, nodeId: string): string =>
  ((graph.node_data[nodeId]?.utility ?? {}) as UtilityConfig).expression ?? ''

/**
 * Adds an expression node in front of an input. The expression starts with the current value: the constant as JSON,
 * which is valid CEL, or the connected output under the name of the input.
 */
export const computeActions = (graph: FlowGraph, node: FlowNode, key: string): FlowAction[] => {
  const currentInput = graph.input[node.id]?.[key]
  const id = uniqueId(graph, `${node.id}_${key}`.replaceAll(/\W/g, '_'))
  const middle = { x: node.position.x - card.width / 2 - 60, y: node.position.y + card.height / 2 }
  const expression = isConnection(currentInput) ? inputText(key) : JSON.stringify(currentInput ?? '')
  const data = { utility: { expression } }
  return [
    { type: 'node.add', payload: { id, type: 'utility', position: placeIn(graph, middle), data } },
    ...(isConnection(currentInput)
      ? [connect(id, key, { nodeId: currentInput.connection.nodeId, key: portOf(currentInput.connection) })]
      : []),
    connect(node.id, key, { nodeId: id, key: wholePort }),
  ]
}
