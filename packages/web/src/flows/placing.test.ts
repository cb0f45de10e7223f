// Guarantees: a new node is visible at any position of the board and covers no other.
import { expect, it } from 'vitest'
import { card, middleOf, placeIn } from './placing.ts'

it('finds the middle of a translated and zoomed board', () => {
  expect(middleOf({ width: 800, height: 600 }, [0, 0, 1])).toEqual({ x: 400, y: 300 })
  expect(middleOf({ width: 800, height: 600 }, [-1000, 100, 0.5])).toEqual({ x: 2800, y: 400 })
})

it('places a card in the middle, and the next ones beside it', () => {
  const middle = { x: card.width / 2, y: card.height / 2 }
  const first = placeIn({ nodes: [] }, middle)
  expect(first).toEqual({ x: 0, y: 0 })
  const nodes = [{ id: 'a', type: 'utility' as const, position: first }]
  const second = placeIn({ nodes }, middle)
  expect(second).toEqual({ x: 40, y: 40 })
  const third = placeIn({ nodes: [...nodes, { id: 'b', type: 'utility', position: second }] }, middle)
  expect(third).toEqual({ x: 80, y: 80 })
})
