// Where a new node is placed: next to the selected node or in the middle of the visible area, without covering another. Pure.
import type { FlowGraph, Position } from '@millrace/contract/flows'

/** The approximate size of a card with a few ports. */
export const card = { width: 208, height: 140 }

/** The point of the graph in the middle of a board of this size, for this translation and zoom. */
export const middleOf = (
  { width, height }: { width: number; height: number },
  [x, y, zoom]: readonly [number, number, number],
): Position => ({ x: (width / 2 - x) / zoom, y: (height / 2 - y) / zoom })

type Size = { width: number; height: number }
export type Sizes = ReadonlyMap<string, Size>

/** The sizes of the cards on the board, as far as they are measured. */
export const sizesIn = (nodes: readonly { id: string; measured?: { width?: number; height?: number } }[]): Sizes =>
  new Map(
    nodes.flatMap(({ id, measured: { width, height } = {} }): [string, Size][] =>
      width === undefined || height === undefined ? [] : [[id, { width, height }]],
    ),
  )

const gap = 40

const overlaps = (a: Position, aSize: Size, b: Position, bSize: Size): boolean =>
  a.x < b.x + bSize.width + gap &&
  b.x < a.x + aSize.width + gap &&
  a.y < b.y + bSize.height + gap &&
  b.y < a.y + aSize.height + gap

/** The first free place at or below this one. */
const freePlace = ({ nodes }: Pick<FlowGraph, 'nodes'>, wanted: Position, sizes: Sizes): Position => {
  const place = { ...wanted }
  for (;;) {
    const taken = nodes.find(({ id, position }) => overlaps(place, card, position, sizes.get(id) ?? card))
    if (!taken) return place
    place.y = taken.position.y + (sizes.get(taken.id) ?? card).height + gap
  }
}

/** A free place around a point. */
export const placeIn = (graph: Pick<FlowGraph, 'nodes'>, middle: Position, sizes: Sizes = new Map()): Position =>
  freePlace(graph, { x: Math.round(middle.x - card.width / 2), y: Math.round(middle.y - card.height / 2) }, sizes)

/** A free place to the right of a node, where its connections lead. */
export const placeNextTo = (graph: Pick<FlowGraph, 'nodes'>, nodeId: string, sizes: Sizes): Position | undefined => {
  const node = graph.nodes.find(({ id }) => id === nodeId)
  if (!node) return undefined
  const { width } = sizes.get(nodeId) ?? card
  return freePlace(graph, { x: Math.round(node.position.x + width + 2 * gap), y: Math.round(node.position.y) }, sizes)
}
