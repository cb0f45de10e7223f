// guards: a step waits for a person while its chat asks, and neither before nor after.
import { expect, it } from 'vitest'
import { withAsking } from './asking.ts'

const run = {
  node_statuses: { input: 'completed', buyer: 'running', seller: 'running', clerk: 'completed' },
  node_tasks: { buyer: { chat_id: 'c1' }, seller: { chat_id: 'c2' }, clerk: { chat_id: 'c3' } },
} as unknown as Parameters<typeof withAsking>[0]

it('says of a step that it waits for a person while its chat, or one of a sub-agent, asks', () => {
  expect(withAsking(run, [])).toEqual(run.node_statuses)
  expect(withAsking(run, [{ id: 'c1' }, { id: 'sub', parent_id: 'c2' }, { id: 'c3' }])).toEqual({
    input: 'completed',
    buyer: 'waiting for you',
    seller: 'waiting for you',
    clerk: 'completed',
  })
})
