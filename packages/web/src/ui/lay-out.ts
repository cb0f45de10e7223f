// Lays boxes of one size out so that lines lead one way. Pure.
import { Graph, layout } from '@dagrejs/dagre'

type Place = { x: number; y: number }

type Drawing = {
  ids: readonly string[]
  lines: readonly { source: string; target: string }[]
  box: { width: number; height: number }
  gaps: { beside: number; along: number }
}

/** The upper left corner of each, from left to right. */
export const layOut = ({ ids, lines, box: { width, height }, gaps }: Drawing): Record<string, Place> => {
  const drawing = new Graph()
  drawing.setGraph({ rankdir: 'LR', nodesep: gaps.beside, ranksep: gaps.along })
  drawing.setDefaultEdgeLabel(() => ({}))
  for (const id of ids) drawing.setNode(id, { width, height })
  for (const { source, target } of lines) drawing.setEdge(source, target)
  layout(drawing)
  return Object.fromEntries(
    ids.map((id) => {
      const { x, y } = drawing.node(id) as Place
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
    }),
  )
}
