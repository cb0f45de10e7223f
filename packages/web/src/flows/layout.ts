// Lays a graph out from left to right. Pure.
import { Graph, layout } from '@dagrejs/dagre'
import type { FlowGraph, Position } from '@millrace/contract/flows'
import { linesOf } from './graph-model.ts'

const width = 208
const height = 140

export const tidyPositions = (graph: FlowGraph): Record<string, Position> => {
  const drawing = new Graph()
  drawing.setGraph({ rankdir: 'LR', nodesep: 40, ranksep: 90 })
  drawing.setDefaultEdgeLabel(() => ({}))
  for (const { id } of graph.nodes) drawing.setNode(id, { width, height })
  for (const { source, target } of linesOf(graph)) drawing.setEdge(source, target)
  layout(drawing)
  return Object.fromEntries(
    graph.nodes.map(({ id }) => {
      const { x, y } = drawing.node(id) as Position
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
    }),
  )
}
