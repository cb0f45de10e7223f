// Guards: each step of a trace is shown once, below what made it; what waits for a person does not look as if it ran.
import type { TraceNode } from '@millrace/contract/chat-trace'
import { expect, it } from 'vitest'
import { rowsOf, waitsForPerson, wordsOf } from './trace-rows.ts'

const base = { short_id: '', updated_at: '', deleted_at: null, graph_id: 'chat', resource_type: '', label: 'x' }
const step = (id: string, more: Partial<TraceNode> = {}): TraceNode => ({
  ...base,
  id,
  created_at: id,
  resource_id: id,
  type: 'execution',
  status: 'running',
  ...more,
})
const edge = (from_node: string, to_node: string) => ({
  ...base,
  id: to_node,
  created_at: '',
  type: '',
  from_node,
  to_node,
})

it('puts each step once, below the one that made it', () => {
  const trace = { nodes: [step('c'), step('b'), step('a')], edges: [edge('a', 'b'), edge('b', 'c')] }
  expect(rowsOf(trace).map(({ node, depth, parent }) => [node.id, depth, parent])).toEqual([
    ['a', 0, undefined],
    ['b', 1, 'a'],
    ['c', 2, 'b'],
  ])
})

it.each([
  [{ type: 'approval' }, true],
  [{ metadata: { state: 'awaiting_input' } }, true],
  [{ metadata: { state: 'in_progress' } }, false],
  [{}, false],
  [{ status: 'completed', metadata: { state: 'awaiting_input' } }, false],
])('%j waits for a person: %s', (more, waits) => {
  expect(waitsForPerson(step('a', more))).toBe(waits)
})

it('reads plain words as they are, and everything else part by part', () => {
  expect(
    wordsOf([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]),
  ).toBe('a\nb')
  const mixed = [{ type: 'reasoning' as const, text: 'hm' }]
  expect(wordsOf(mixed)).toBe(mixed)
})
