// Where a new node is placed: in the middle of the visible area, without covering another. Pure.
import type { FlowGraph, Position } from '@millrace/contract/flows'

/** The approximate size of a card with a few ports. */
export const card = { width: 208, height: 140 }
const step = 40

/** The point of the graph in the middle of a board of this size, for this translation and zoom. */
export const middleOf = (
  { width, height }: { width: number; height: number },
  [x, y, zoom]: readonly [number, number, number],
): Position => ({ x: (width / 2 - x) / zoom, y: (height / 2 - y) / zoom })

export const placeIn = ({ nodes }: Pick<FlowGraph, 'nodes'>, middle: Position): Position => {
  const place = { x: Math.round(middle.x - card.width / 2), y: Math.round(middle.y - card.height / 2) }
  const isTaken = () =>
    nodes.some(({ position }) => Math.abs(position.x - place.x) < step && Math.abs(position.y - place.y) < step)
  while (isTaken()) {
    place.x += step
    place.y += step
  }
  return place
}
