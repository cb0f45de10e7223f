// Guarantees: a run is one line with its status in words and its duration without the queue.
import { taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { expect, it } from 'vitest'
import { runsCsv } from './runs-csv.ts'

it('writes a failed run', () => {
  const at = (status: number, second: number) => ({ status, event_time: `2026-03-01T00:00:0${second}Z` })
  const run = {
    id: 'r1',
    status: taskStatus.failed,
    app: { namespace: 'mill', name: 'echo' },
    function: 'run',
    error: 'dry, "very"',
    created_at: '2026-03-01T00:00:00Z',
    events: [at(taskStatus.queued, 0), at(taskStatus.running, 2), at(taskStatus.failed, 5)],
    user_id: 'u1',
    engine_id: null,
  } as unknown as Task
  expect(runsCsv([run]).split('\r\n')[1]).toBe('r1,failed,mill/echo,run,"dry, ""very""",2026-03-01T00:00:00Z,3000,u1,')
})
