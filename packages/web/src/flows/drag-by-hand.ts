// Moves a dragged card and its connections in the DOM directly: React Flow would check every node and edge of the graph
// in each frame. React Flow only receives the final position.
import { type Edge, getBezierPath, type NodeChange, type OnNodesChange, Position } from '@xyflow/react'
import { type RefObject, useEffect, useRef } from 'react'
import type { CardNode } from './node-card.tsx'

type Point = { x: number; y: number }
type Ends = { from: Point; to: Point }

/** The ends of a Bézier path; undefined for any other path. */
export const endsOf = (curve: string): Ends | undefined => {
  const numbers = curve.match(/-?\d+(\.\d+)?(e-?\d+)?/g)?.map(Number) ?? []
  const [fromX, fromY] = numbers
  const [toX, toY] = numbers.slice(-2)
  if (numbers.length !== 8 || fromX === undefined || fromY === undefined || toX === undefined || toY === undefined)
    return undefined
  return { from: { x: fromX, y: fromY }, to: { x: toX, y: toY } }
}

/** Connections leave a card on the right and enter one on the left. */
export const curveOf = ({ from, to }: Ends): string =>
  getBezierPath({
    sourceX: from.x,
    sourceY: from.y,
    sourcePosition: Position.Right,
    targetX: to.x,
    targetY: to.y,
    targetPosition: Position.Left,
  })[0]

/** The card of one drag step; undefined for other changes and when several cards are dragged together. */
export const draggedCard = (changes: readonly NodeChange<CardNode>[]): { id: string; position: Point } | undefined => {
  const [change] = changes
  if (changes.length !== 1 || change?.type !== 'position' || !change.dragging || !change.position) return undefined
  return { id: change.id, position: change.position }
}

const dropPositionOf = (changes: readonly NodeChange<CardNode>[], cardId: string): Point | undefined => {
  for (const change of changes)
    if (change.type === 'position' && change.id === cardId && !change.dragging) return change.position
  return undefined
}

const moved = ({ x, y }: Point, by: Point): Point => ({ x: x + by.x, y: y + by.y })

const named = (kind: 'node' | 'edge', id: string): string => `.react-flow__${kind}[data-id="${CSS.escape(id)}"]`

const svg = 'http://www.w3.org/2000/svg'

/**
 * The layer on which connections are drawn during a drag. Its background is three times as wide and high as the visible
 * graph: while the lines stay on it, the sheet keeps its size and the browser does not composite the page again.
 */
const createSheet = (board: Element): SVGSVGElement => {
  const sheet = document.createElementNS(svg, 'svg')
  sheet.classList.add('drag-sheet')
  board.querySelector('.react-flow__viewport')?.prepend(sheet)
  const seen = board.getBoundingClientRect()
  const onSheet = sheet.getScreenCTM()?.inverse() ?? new DOMMatrix()
  const from = new DOMPoint(seen.left - seen.width, seen.top - seen.height).matrixTransform(onSheet)
  const to = new DOMPoint(seen.right + seen.width, seen.bottom + seen.height).matrixTransform(onSheet)
  const ground = document.createElementNS(svg, 'rect')
  const place = { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y, fill: 'transparent' }
  for (const [name, value] of Object.entries(place)) ground.setAttribute(name, String(value))
  sheet.append(ground)
  return sheet
}

/** Covers the board during a drag, so that the mouse does not hit every card and line. The wheel still zooms. */
const createOverlay = (board: Element): HTMLElement => {
  const overlay = document.createElement('div')
  overlay.classList.add('drag-overlay')
  board.querySelector('.react-flow__renderer')?.append(overlay)
  return overlay
}

/**
 * A paused animation without movement. It makes the browser treat each new position as an animation step, so that it
 * moves the layer of the card without checking which other layers it overlaps.
 */
const asAnimated = (card: Element): Animation => {
  const nowhere = { transform: 'translate(0px, 0px)' }
  const animation = card.animate([nowhere, nowhere], { duration: 1, composite: 'add' })
  animation.pause()
  return animation
}

/**
 * Draws the connections of a card on a separate sheet and hides the originals: a change among all connections would lay
 * out their common container again.
 */
const moveLinesToSheet = (board: Element, id: string, edges: readonly Edge[]) => {
  const sheet = createSheet(board)
  const own = edges.filter(({ source, target }) => source === id || target === id)
  const lines = own.flatMap((edge) => {
    const line = board.querySelector<SVGGElement>(named('edge', edge.id))
    const paths = [...(line?.querySelectorAll('path[d]') ?? [])]
    const ends = endsOf(paths[0]?.getAttribute('d') ?? '')
    if (!line || !ends) return []
    const drawn = paths[0]?.cloneNode() as Element
    const group = line.cloneNode() as SVGGElement
    group.append(drawn)
    sheet.append(group)
    line.style.visibility = 'hidden'
    const curve = (by: Point): string =>
      curveOf({
        from: edge.source === id ? moved(ends.from, by) : ends.from,
        to: edge.target === id ? moved(ends.to, by) : ends.to,
      })
    return [{ line, paths, drawn, curve }]
  })
  return {
    move: (by: Point): void => {
      for (const { drawn, curve } of lines) drawn.setAttribute('d', curve(by))
    },
    restore: (by: Point): void => {
      for (const { line, paths, curve } of lines) {
        for (const path of paths) path.setAttribute('d', curve(by))
        line.style.visibility = ''
      }
      sheet.remove()
    },
  }
}

/** Starts the drag of a card. It moves once per frame; mouse events arrive more often. */
const startDrag = (board: Element, { id, position: at }: CardNode, edges: readonly Edge[]) => {
  const card = board.querySelector<HTMLElement>(named('node', id))
  const lines = moveLinesToSheet(board, id, edges)
  const overlay = createOverlay(board)
  const animation = card && asAnimated(card)
  let latest = at
  let frame: number | undefined
  const offset = (): Point => ({ x: latest.x - at.x, y: latest.y - at.y })
  const draw = (): void => {
    frame = undefined
    if (card) card.style.transform = `translate(${latest.x}px,${latest.y}px)`
    lines.move(offset())
  }
  return {
    id,
    moveTo: (position: Point): void => {
      latest = position
      frame ??= requestAnimationFrame(draw)
    },
    drop: (position: Point = latest): void => {
      if (frame !== undefined) cancelAnimationFrame(frame)
      latest = position
      draw()
      animation?.cancel()
      overlay.remove()
      lines.restore(offset())
    },
  }
}

/** Replaces `onChange`: passes on all changes except drag steps. */
export const useDragByHand = (
  board: RefObject<HTMLElement | null>,
  { nodes, edges }: { nodes: readonly CardNode[]; edges: readonly Edge[] },
  onChange: OnNodesChange<CardNode>,
): OnNodesChange<CardNode> => {
  const activeDrag = useRef<ReturnType<typeof startDrag>>(undefined)
  // When another member removes the dragged card, no change reports the end of the drag.
  useEffect(() => {
    if (activeDrag.current === undefined || nodes.some(({ id }) => id === activeDrag.current?.id)) return
    activeDrag.current.drop()
    activeDrag.current = undefined
  }, [nodes])
  return (changes) => {
    const dragged = draggedCard(changes)
    const card = nodes.find(({ id }) => id === dragged?.id)
    if (!dragged || !card || !board.current) {
      const end = activeDrag.current && dropPositionOf(changes, activeDrag.current.id)
      if (end) {
        activeDrag.current?.drop(end)
        activeDrag.current = undefined
      }
      onChange(changes)
      return
    }
    if (activeDrag.current?.id !== card.id) {
      activeDrag.current?.drop()
      activeDrag.current = startDrag(board.current, card, edges)
    }
    activeDrag.current.moveTo(dragged.position)
  }
}
