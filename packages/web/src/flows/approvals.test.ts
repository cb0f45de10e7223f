// Guarantees: a node waits for an approval exactly while its chat has a pending one.
import { expect, it } from 'vitest'
import { withApprovals } from './approvals.ts'

const run = {
  node_statuses: { input: 'completed', buyer: 'running', seller: 'running', clerk: 'completed' },
  node_tasks: { buyer: { chat_id: 'c1' }, seller: { chat_id: 'c2' }, clerk: { chat_id: 'c3' } },
} as unknown as Parameters<typeof withApprovals>[0]

it('marks a running node while its chat, or the chat of a sub-agent, has a pending approval', () => {
  expect(withApprovals(run, [])).toEqual(run.node_statuses)
  expect(withApprovals(run, [{ id: 'c1' }, { id: 'sub', parent_id: 'c2' }, { id: 'c3' }])).toEqual({
    input: 'completed',
    buyer: 'needs approval',
    seller: 'needs approval',
    clerk: 'completed',
  })
})
