// Layout of boxes in which lines lead from left to right. Pure.
import { Graph, layout } from '@dagrejs/dagre'

type Point = { x: number; y: number }
type Size = { width: number; height: number }

type Drawing = {
  ids: readonly string[]
  lines: readonly { source: string; target: string }[]
  box: Size
  /** The sizes of boxes that differ from `box`. */
  sizes?: ReadonlyMap<string, Size>
  gaps: { nodes: number; ranks: number }
}

/** The top left corner of each box. */
export const layOut = ({ ids, lines, box, sizes, gaps }: Drawing): Record<string, Point> => {
  const drawing = new Graph()
  drawing.setGraph({ rankdir: 'LR', nodesep: gaps.nodes, ranksep: gaps.ranks })
  drawing.setDefaultEdgeLabel(() => ({}))
  const sizeOf = (id: string): Size => sizes?.get(id) ?? box
  for (const id of ids) drawing.setNode(id, { ...sizeOf(id) })
  for (const { source, target } of lines) drawing.setEdge(source, target)
  layout(drawing)
  return Object.fromEntries(
    ids.map((id) => {
      const { x, y } = drawing.node(id) as Point
      const { width, height } = sizeOf(id)
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
    }),
  )
}
