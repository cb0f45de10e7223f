// Guards: what is asked inside a flow names the flow it is asked in.
import { expect, it } from 'vitest'
import { flowsBehind } from './inbox.ts'

it('knows the flow, the run and the step behind a chat, and none behind a task', () => {
  const node_tasks = { taster: { task_id: 't', task: null, chat_id: 'c' }, scale: { task_id: 'u', task: null } }
  expect([...flowsBehind([{ id: 'run', flow_id: 'flow', node_tasks }])]).toEqual([
    ['c', { flowId: 'flow', runId: 'run', nodeId: 'taster' }],
  ])
})
