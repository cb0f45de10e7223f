// Guarantees: only drag steps of a single card are handled here, and its connections are drawn as React Flow draws them.
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

describe('a drag step', () => {
  it('is a position change of one card', () =>
    expect(draggedCard([step('mill')])).toEqual({ id: 'mill', position: { x: 3, y: -4.5 } }))

  it.each([
    ['at the end of the drag', [step('mill', false)]],
    ['of several cards', [step('mill'), step('race')]],
    ['of another type', [{ type: 'select', id: 'mill', selected: true }]],
    ['without changes', []],
  ] satisfies [string, NodeChange<CardNode>[]][])('is not one %s', (_case, changes) =>
    expect(draggedCard(changes)).toBeUndefined(),
  )
})

describe('the curve of a connection', () => {
  it.each([
    { from: { x: 208, y: 51.5 }, to: { x: 480, y: 51.5 } },
    { from: { x: -208.25, y: -51.5 }, to: { x: -480, y: 1e-7 } },
    { from: { x: 0, y: 0 }, to: { x: 0, y: 0 } },
  ])('has the ends it was drawn between: $from to $to', (ends) => expect(endsOf(curveOf(ends))).toEqual(ends))

  it('is the one that React Flow draws from the right of a card to the left of another', () => {
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

  it('has no ends when the path is not a curve', () => {
    expect(endsOf('')).toBeUndefined()
    expect(endsOf('M1,2 L3,4')).toBeUndefined()
  })
})
