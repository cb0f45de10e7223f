// Guarantees: Tidy up never overlaps cards, whatever their measured size.
import type { FlowGraph } from '@millrace/contract/flows'
import { expect, it } from 'vitest'
import { tidyPositions } from './layout.ts'

it('keeps tall cards of one column apart', () => {
  const ids = ['tall', 'small']
  const graph = {
    nodes: ids.map((id) => ({ id, type: 'utility', position: { x: 0, y: 0 } })),
    edges: [],
    node_data: {},
    input: {},
  } as unknown as FlowGraph
  const sizes = new Map([['tall', { width: 208, height: 500 }]])
  const { tall, small } = tidyPositions(graph, sizes)
  const [upper, lower, height] = (tall?.y ?? 0) < (small?.y ?? 0) ? [tall?.y, small?.y, 500] : [small?.y, tall?.y, 140]
  expect((lower ?? 0) - (upper ?? 0)).toBeGreaterThanOrEqual(height + 40)
})
