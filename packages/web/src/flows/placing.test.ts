// Guarantees: a new node is visible at any position of the board and covers no other.
import { expect, it } from 'vitest'
import { card, middleOf, placeIn, placeNextTo } from './placing.ts'

it('finds the middle of a translated and zoomed board', () => {
  expect(middleOf({ width: 800, height: 600 }, [0, 0, 1])).toEqual({ x: 400, y: 300 })
  expect(middleOf({ width: 800, height: 600 }, [-1000, 100, 0.5])).toEqual({ x: 2800, y: 400 })
})

const node = (id: string, x: number, y: number) => ({ id, type: 'utility' as const, position: { x, y } })

it('places a card in the middle, and the next one below it', () => {
  const middle = { x: card.width / 2, y: card.height / 2 }
  const first = placeIn({ nodes: [] }, middle)
  expect(first).toEqual({ x: 0, y: 0 })
  expect(placeIn({ nodes: [node('a', 0, 0)] }, middle)).toEqual({ x: 0, y: card.height + 40 })
})

it('does not cover a card that is taller than usual', () => {
  const sizes = new Map([['tall', { width: 208, height: 400 }]])
  const middle = { x: card.width / 2, y: 300 }
  expect(placeIn({ nodes: [node('tall', 0, 0)] }, middle, sizes)).toEqual({ x: 0, y: 440 })
})

it('places a card to the right of the selected one, and below what is there', () => {
  const nodes = [node('a', 0, 50)]
  const placed = placeNextTo({ nodes }, 'a', new Map())
  expect(placed).toEqual({ x: card.width + 80, y: 50 })
  const next = placeNextTo({ nodes: [...nodes, node('b', placed?.x ?? 0, 50)] }, 'a', new Map())
  expect(next).toEqual({ x: card.width + 80, y: 50 + card.height + 40 })
  expect(placeNextTo({ nodes }, 'gone', new Map())).toBeUndefined()
})
