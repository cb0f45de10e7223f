// Guarantees: the steps of a flow run are in one list, each below its cause, and the turns of a chat appear once.
import type { ChatTrace } from '@millrace/contract/chat-trace'
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import { taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { expect, it } from 'vitest'
import { flowRows, spanOf } from './run-tree.ts'

const at = (second: number) => new Date(second * 1000).toISOString()

const task = (id: string, second: number, change: Partial<Task> = {}): Task =>
  ({
    id,
    status: taskStatus.completed,
    app: { title: 'Word count' },
    created_at: at(second),
    events: [{ status: taskStatus.completed, event_time: at(second + 1) }],
    ...change,
  }) as Task

const step = (id: string, type: string, label: string, second: number, metadata?: object) => ({
  id,
  graph_id: 'chat',
  resource_id: id,
  resource_type: type,
  type: 'execution',
  label,
  status: 'completed',
  created_at: at(second),
  updated_at: at(second + 1),
  duration_ms: 1000,
  metadata,
})

const trace = {
  graph_id: 'chat',
  nodes: [
    step('turn', 'agent_runs', 'run', 3),
    step('call', 'tool_invocations', 'count', 4, { type: 'app', execution_id: 'tool-run' }),
  ],
  edges: [{ from_node: 'turn', to_node: 'call' }],
} as unknown as ChatTrace

const run = {
  id: 'flow-run',
  status: flowRunStatus.running,
  created_at: at(0),
  updated_at: at(1),
  node_tasks: { sum: { task_id: 't1' }, ask: { task_id: 't2' } },
} as unknown as FlowRun

it('puts nodes below the flow, turns below their node, and tools below their turn', () => {
  const tasks = [task('t2', 2, { app_id: '', chat_id: 'chat' }), task('t1', 1), task('model', 3, { chat_id: 'chat' })]
  const rows = flowRows({ run, name: 'Grinding', tasks, traces: new Map([['chat', trace]]) })
  expect(rows.map(({ depth, label, to }) => [depth, label, to?.id])).toEqual([
    [0, 'Grinding', undefined],
    [1, 'sum', 't1'],
    [1, 'ask', 't2'],
    [2, 'turn', 'chat'],
    [3, 'count', 'tool-run'],
  ])
  expect(spanOf(rows, 9000)).toEqual({ startMs: 0, endMs: 9000 })
})

it('numbers the runs of a loop', () => {
  const tasks = [task('a', 1, { flow_item: 0 }), task('b', 2, { flow_item: 1 })]
  const rows = flowRows({ run, name: 'Grinding', tasks, traces: new Map() })
  expect(rows.map(({ label }) => label)).toEqual(['Grinding', 'Word count #0', 'Word count #1'])
})
