// What stays on the canvas when the graph comes anew. Pure.
import type { CardNode } from './node-card.tsx'

/**
 * Cards that are the same stay the very ones that are on the screen, measured and chosen as they are: otherwise every change
 * of one node would draw all of them and their lines anew.
 */
export const keepCards = (held: readonly CardNode[], drawn: readonly CardNode[]): CardNode[] => {
  const before = new Map(held.map((card) => [card.id, card]))
  return drawn.map((card) => {
    const old = before.get(card.id)
    if (!old) return card
    const data = JSON.stringify(old.data) === JSON.stringify(card.data) ? old.data : card.data
    const { x, y } = card.position
    return data === old.data && old.position.x === x && old.position.y === y
      ? old
      : { ...old, position: card.position, data }
  })
}
