// Guarantees: unchanged cards are not rendered again; changed cards keep their size and selection.
import { expect, it } from 'vitest'
import { keepCards, movedCards } from './keep-cards.ts'
import type { CardNode } from './node-card.tsx'

const card = (id: string, more: Partial<CardNode> = {}): CardNode => ({
  id,
  type: 'card',
  position: { x: 0, y: 0 },
  data: { title: id, type: 'utility', inputs: [], outputs: [], status: undefined },
  ...more,
})
const onScreen = { measured: { width: 208, height: 90 }, selected: true }

it('keeps an unchanged card as the same object', () => {
  const previous = [card('a', onScreen), card('b', onScreen)]
  const kept = keepCards(previous, [card('a'), card('b', { position: { x: 5, y: 0 } }), card('c')])
  expect(kept[0]).toBe(previous[0])
  expect(kept[1]).toMatchObject({ position: { x: 5, y: 0 }, ...onScreen })
  expect(kept[1]?.data).toBe(previous[1]?.data)
  expect(kept[2]?.measured).toBeUndefined()
})

it('replaces a changed card and drops a removed one', () => {
  const previous = [card('a', onScreen), card('gone')]
  const running = card('a')
  const kept = keepCards(previous, [{ ...running, data: { ...running.data, status: 'running' } }])
  expect(kept).toHaveLength(1)
  expect(kept[0]).toMatchObject({ data: { status: 'running' }, ...onScreen })
})

it('finds the cards that were moved by keyboard', () => {
  const moved = card('a', { position: { x: 5, y: 0 } })
  expect(movedCards([moved, card('b'), card('new')], [card('a'), card('b')])).toEqual([moved])
})
