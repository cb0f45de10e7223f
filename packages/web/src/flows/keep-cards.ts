// Keeps unchanged cards when the graph is replaced. Pure.
import type { CardNode } from './node-card.tsx'

/**
 * Unchanged cards stay the same objects, with their measured size and selection. Otherwise each change of one node
 * would render all cards and connections again.
 */
export const keepCards = (previous: readonly CardNode[], drawn: readonly CardNode[]): CardNode[] => {
  const before = new Map(previous.map((card) => [card.id, card]))
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

/** Cards whose position differs from the stored one, such as after moving them by keyboard. */
export const movedCards = (shown: readonly CardNode[], stored: readonly CardNode[]): CardNode[] => {
  const before = new Map(stored.map((card) => [card.id, card.position]))
  return shown.filter(({ id, position }) => {
    const old = before.get(id)
    return old !== undefined && (old.x !== position.x || old.y !== position.y)
  })
}
