// Guarantees: a request inside a flow names its flow.
import { expect, it } from 'vitest'
import { flowNodesByChat } from './inbox.ts'

it('finds the flow, run and node of a chat, and ignores nodes without a chat', () => {
  const node_tasks = { taster: { task_id: 't', task: null, chat_id: 'c' }, scale: { task_id: 'u', task: null } }
  expect([...flowNodesByChat([{ id: 'run', flow_id: 'flow', node_tasks }])]).toEqual([
    ['c', { flowId: 'flow', runId: 'run', nodeId: 'taster' }],
  ])
})
