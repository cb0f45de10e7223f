// Actions on nodes. References to a node are removed, renamed and restored with it.
import {
  type ActionPayloads,
  type FlowNode,
  type GraphAction,
  type NodeData,
  type NodeType,
  nodeTypes,
} from '@millrace/contract/flows'
import { own } from '@millrace/contract/json'
import { findNode, type Graph, graphLimits, inputsOf, type Outcome } from './graph.ts'
import { disconnect, refersTo, renameInInput } from './inputs.ts'
import { renameKey, withKey, withoutKey } from './records.ts'

type Payload<T extends keyof ActionPayloads> = ActionPayloads[T]

const missing = (id: string): { error: string } => ({ error: `node "${id}" does not exist` })
const taken = (id: string): { error: string } => ({ error: `node "${id}" already exists` })

const isNodeType = (type: string): type is NodeType => (nodeTypes as readonly string[]).includes(type)

/** `app` and `task` are embedded on read; stored copies would become stale. */
const stored = ({ app: _app, task: _task, ...data }: NodeData): NodeData => data

export const addNode = (graph: Graph, { id, type, position, data, index }: Payload<'node.add'>): Outcome => {
  if (!isNodeType(type)) return { error: `unknown node type "${type}"; one of ${nodeTypes.join(', ')}` }
  if (findNode(graph, id)) return taken(id)
  if (graph.nodes.length >= graphLimits.nodes) return { error: `a flow can have at most ${graphLimits.nodes} nodes` }
  const node: FlowNode = { id, type, position: position ?? { x: 0, y: 0 } }
  return {
    graph: {
      ...graph,
      nodes: graph.nodes.toSpliced(index ?? graph.nodes.length, 0, node),
      node_data: withKey(graph.node_data, id, stored(data ?? {})),
    },
    inverse: [{ type: 'node.remove', payload: { id } }],
  }
}

export const removeNode = (graph: Graph, { id }: Payload<'node.remove'>): Outcome => {
  const index = graph.nodes.findIndex((node) => node.id === id)
  const node = graph.nodes[index]
  if (!node) return missing(id)

  const inverse: GraphAction[] = [
    { type: 'node.add', payload: { ...node, data: own(graph.node_data, id) ?? {}, index } },
  ]
  for (const [input_key, input] of Object.entries(inputsOf(graph, id))) {
    inverse.push({ type: 'node.set_input', payload: { node_id: id, input_key, input } })
  }
  graph.edges.forEach((edge, index) => {
    if (edge.source === id || edge.target === id) inverse.push({ type: 'edge.add', payload: { ...edge, index } })
  })

  const inputs = inputsWithout(graph, id)
  const mappings = mappingsWithout(graph, id)
  return {
    graph: {
      ...graph,
      nodes: graph.nodes.toSpliced(index, 1),
      edges: graph.edges.filter((edge) => edge.source !== id && edge.target !== id),
      node_data: withoutKey(graph.node_data, id),
      input: inputs.left,
      output_mappings: mappings.left,
    },
    inverse: [...inverse, ...inputs.inverse, ...mappings.inverse],
  }
}

/** The inputs of other nodes after a node loses its output. */
const inputsWithout = (graph: Graph, id: string) => {
  const left: Graph['input'] = {}
  const inverse: GraphAction[] = []
  for (const [node_id, inputs] of Object.entries(graph.input)) {
    if (node_id === id) continue
    const kept: Record<string, unknown> = {}
    for (const [input_key, value] of Object.entries(inputs)) {
      if (!refersTo(value, id)) {
        kept[input_key] = value
        continue
      }
      inverse.push({ type: 'node.set_input', payload: { node_id, input_key, input: value } })
      const rest = disconnect(value, id)
      if (rest !== undefined) kept[input_key] = rest
    }
    if (Object.keys(kept).length > 0) left[node_id] = kept
  }
  return { left, inverse }
}

const mappingsWithout = (graph: Graph, id: string) => {
  let left = graph.output_mappings
  const inverse: GraphAction[] = []
  for (const [field, mapping] of Object.entries(left)) {
    if (mapping.sourceNodeId !== id) continue
    inverse.push({ type: 'flow.set_output_mapping', payload: { field, mapping } })
    left = withoutKey(left, field)
  }
  return { left, inverse }
}

export const moveNode = (graph: Graph, { id, position }: Payload<'node.move'>): Outcome => {
  const node = findNode(graph, id)
  if (!node) return missing(id)
  return {
    graph: { ...graph, nodes: graph.nodes.map((one) => (one === node ? { ...one, position } : one)) },
    inverse: [{ type: 'node.move', payload: { id, position: node.position } }],
  }
}

export const moveNodes = (graph: Graph, { positions }: Payload<'node.move_many'>): Outcome => {
  const before = new Map(graph.nodes.map((node) => [node.id, node.position]))
  const unknown = Object.keys(positions).find((id) => !before.has(id))
  if (unknown !== undefined) return missing(unknown)
  const moved = graph.nodes.filter((node) => Object.hasOwn(positions, node.id))
  return {
    graph: {
      ...graph,
      nodes: graph.nodes.map((node) => ({ ...node, position: own(positions, node.id) ?? node.position })),
    },
    inverse: [
      {
        type: 'node.move_many',
        payload: { positions: Object.fromEntries(moved.map((node) => [node.id, node.position])) },
      },
    ],
  }
}

export const duplicateNode = (
  graph: Graph,
  { source_id, new_id, offset = { x: 40, y: 40 } }: Payload<'node.duplicate'>,
): Outcome => {
  const source = findNode(graph, source_id)
  if (!source) return missing(source_id)
  const { task_id: _task, ...data } = own(graph.node_data, source_id) ?? {}
  const { x, y } = source.position
  const added = addNode(graph, {
    id: new_id,
    type: source.type,
    position: { x: x + offset.x, y: y + offset.y },
    data,
  })
  if ('error' in added) return added
  const inputs = own(graph.input, source_id)
  return inputs
    ? { ...added, graph: { ...added.graph, input: withKey(graph.input, new_id, structuredClone(inputs)) } }
    : added
}

export const renameNode = (graph: Graph, { old_id, new_id }: Payload<'node.rename'>): Outcome => {
  if (!findNode(graph, old_id)) return missing(old_id)
  if (findNode(graph, new_id)) return taken(new_id)
  const named = (id: string) => (id === old_id ? new_id : id)
  const input = Object.entries(graph.input).map(([nodeId, inputs]) => [
    named(nodeId),
    Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, renameInInput(value, old_id, new_id)])),
  ])
  const mappings = Object.entries(graph.output_mappings).map(([field, mapping]) => [
    field,
    { ...mapping, sourceNodeId: named(mapping.sourceNodeId) },
  ])
  return {
    graph: {
      ...graph,
      nodes: graph.nodes.map((node) => ({ ...node, id: named(node.id) })),
      edges: graph.edges.map((edge) => ({ ...edge, source: named(edge.source), target: named(edge.target) })),
      node_data: renameKey(graph.node_data, old_id, new_id),
      input: Object.fromEntries(input),
      output_mappings: Object.fromEntries(mappings),
    },
    inverse: [{ type: 'node.rename', payload: { old_id: new_id, new_id: old_id } }],
  }
}

export const setNodeApp = (graph: Graph, payload: Payload<'node.set_app'>): Outcome => {
  const node = findNode(graph, payload.node_id)
  if (!node) return missing(payload.node_id)
  if (node.type !== 'appNode' && node.type !== 'agentNode') {
    return { error: `node "${node.id}" is a ${node.type}, which runs no app` }
  }
  return updateNode(graph, {
    node_id: payload.node_id,
    patch: {
      app_id: payload.app_id,
      app_version_id: payload.app_version_id ?? '',
      function: payload.function ?? '',
    },
  })
}

export const updateNode = (graph: Graph, { node_id, patch, unset = [] }: Payload<'node.update'>): Outcome => {
  if (!findNode(graph, node_id)) return missing(node_id)
  const before: Record<string, unknown> = own(graph.node_data, node_id) ?? {}
  const change: Record<string, unknown> = stored(patch)
  const touched = [...new Set([...Object.keys(change), ...unset])]
  const after = unset.reduce(withoutKey, { ...before, ...change })
  return {
    graph: { ...graph, node_data: withKey(graph.node_data, node_id, after) },
    inverse: [
      {
        type: 'node.update',
        payload: {
          node_id,
          patch: Object.fromEntries(
            touched.filter((key) => Object.hasOwn(before, key)).map((key) => [key, before[key]]),
          ),
          unset: touched.filter((key) => !Object.hasOwn(before, key)),
        },
      },
    ],
  }
}
