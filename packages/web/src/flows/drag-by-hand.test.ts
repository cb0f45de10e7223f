// Guards: only the steps of dragging one card are kept from the library, and the lines of a dragged card are the curves that
// the library draws.
import { getBezierPath, type NodeChange, Position } from '@xyflow/react'
import { describe, expect, it } from 'vitest'
import { curveOf, draggedCard, endsOf } from './drag-by-hand.ts'
import type { CardNode } from './node-card.tsx'

const step = (id: string, dragging = true): NodeChange<CardNode> => ({
  type: 'position',
  id,
  dragging,
  position: { x: 3, y: -4.5 },
})

describe('a step of a drag', () => {
  it('is the change of one place while it is dragged', () =>
    expect(draggedCard([step('mill')])).toEqual({ id: 'mill', position: { x: 3, y: -4.5 } }))

  it.each([
    ['where it is let go', [step('mill', false)]],
    ['of several together', [step('mill'), step('race')]],
    ['of another kind', [{ type: 'select', id: 'mill', selected: true }]],
    ['of none', []],
  ] satisfies [string, NodeChange<CardNode>[]][])('is not one %s', (_case, changes) =>
    expect(draggedCard(changes)).toBeUndefined(),
  )
})

describe('the curve of a line', () => {
  it.each([
    { from: { x: 208, y: 51.5 }, to: { x: 480, y: 51.5 } },
    { from: { x: -208.25, y: -51.5 }, to: { x: -480, y: 1e-7 } },
    { from: { x: 0, y: 0 }, to: { x: 0, y: 0 } },
  ])('has the ends it was drawn between: $from to $to', (ends) => expect(endsOf(curveOf(ends))).toEqual(ends))

  it('is the one that the library draws from the right of a card to the left of another', () => {
    const [drawn] = getBezierPath({
      sourceX: 1,
      sourceY: 2,
      sourcePosition: Position.Right,
      targetX: 300,
      targetY: 4,
      targetPosition: Position.Left,
    })
    expect(curveOf({ from: { x: 1, y: 2 }, to: { x: 300, y: 4 } })).toBe(drawn)
  })

  it('has no ends where it is no such curve', () => {
    expect(endsOf('')).toBeUndefined()
    expect(endsOf('M1,2 L3,4')).toBeUndefined()
  })
})
