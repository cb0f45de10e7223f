// The positions of the nodes after Tidy up. Pure.
import type { FlowGraph, Position } from '@millrace/contract/flows'
import { layOut } from '../ui/lay-out.ts'
import { linesOf } from './graph-model.ts'
import { card, type Sizes } from './placing.ts'

export const tidyPositions = (graph: FlowGraph, sizes: Sizes): Record<string, Position> =>
  layOut({
    ids: graph.nodes.map(({ id }) => id),
    lines: linesOf(graph),
    box: card,
    sizes,
    gaps: { nodes: 40, ranks: 90 },
  })
