// What an input of a node can be filled from: any earlier node, or an expression that stands in a node of its own. Pure.
import type { FlowAction, FlowGraph, FlowNode, UtilityConfig } from '@millrace/contract/flows'
import { freshId, isConnection, type Known, linesOf, outputsOf, typesFit, wholePort } from './graph-model.ts'
import { card, placeIn } from './placing.ts'

export type Source = { nodeId: string; key: string }

/** The node itself and all that wait for it: a line from one of them would go in a circle. */
const following = (graph: FlowGraph, id: string): ReadonlySet<string> => {
  const lines = linesOf(graph)
  const found = new Set([id])
  for (const each of found) for (const { source, target } of lines) if (source === each) found.add(target)
  return found
}

/** Everything that a field of this type can be connected to, as a menu would offer it. */
export const sourcesFor = (graph: FlowGraph, nodeId: string, type: string, known: Known): Source[] => {
  const later = following(graph, nodeId)
  return graph.nodes
    .filter(({ id }) => !later.has(id))
    .flatMap((node) =>
      outputsOf(graph, node, known)
        .filter((port) => typesFit(port.type, type))
        .map(({ key }) => ({ nodeId: node.id, key })),
    )
}

export const sourceText = ({ nodeId, key }: Source): string => (key === wholePort ? nodeId : `${nodeId}.${key}`)

const isName = (key: string): boolean => /^[A-Za-z_]\w*$/.test(key)

/** How an expression reads a field. */
export const inputText = (key: string): string => (isName(key) ? `input.${key}` : `input[${JSON.stringify(key)}]`)

export const connect = (nodeId: string, inputKey: string, source: Source): FlowAction => ({
  type: 'node.set_input',
  payload: { node_id: nodeId, input_key: inputKey, input: { connection: source } },
})

/** The node whose expression an input is; undefined where it is filled otherwise. */
export const expressionBehind = (graph: FlowGraph, input: unknown): FlowNode | undefined => {
  if (!isConnection(input) || (input.connection.key ?? wholePort) !== wholePort) return undefined
  return graph.nodes.find(({ id, type }) => id === input.connection.nodeId && type === 'utility')
}

export const expressionOf = (graph: FlowGraph, nodeId: string): string =>
  ((graph.node_data[nodeId]?.utility ?? {}) as UtilityConfig).expression ?? ''

/**
 * Puts an expression before an input. It begins with what the input is now: a constant as it is written in CEL, which is as in
 * JSON, or what it is connected to, under the name of the field.
 */
export const computeActions = (graph: FlowGraph, node: FlowNode, key: string): FlowAction[] => {
  const held = graph.input[node.id]?.[key]
  const id = freshId(graph, `${node.id}_${key}`.replaceAll(/\W/g, '_'))
  const middle = { x: node.position.x - card.width / 2 - 60, y: node.position.y + card.height / 2 }
  const expression = isConnection(held) ? inputText(key) : JSON.stringify(held ?? '')
  const data = { utility: { expression } }
  return [
    { type: 'node.add', payload: { id, type: 'utility', position: placeIn(graph, middle), data } },
    ...(isConnection(held) ? [connect(id, key, { key: wholePort, ...held.connection })] : []),
    connect(node.id, key, { nodeId: id, key: wholePort }),
  ]
}
