// Guarantees: each step is shown once below its parent, and a step that waits for a person is not shown as running.
import type { TraceNode } from '@millrace/contract/chat-trace'
import { expect, it } from 'vitest'
import { contentOf, rowsOf, waitsForPerson } from './trace-rows.ts'

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

it('lists each step once, below its parent', () => {
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

it('returns text as it is and other content by parts', () => {
  expect(
    contentOf([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]),
  ).toBe('a\nb')
  const mixed = [{ type: 'reasoning' as const, text: 'hm' }]
  expect(contentOf(mixed)).toBe(mixed)
})
