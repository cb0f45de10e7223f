// Guarantees: the duration of a run begins when an engine takes it.
import { taskStatus } from '@millrace/contract/task-status'
import { expect, it } from 'vitest'
import { workStartOf } from './phases.ts'

const at = (status: number, second: number) => ({ status, event_time: `2026-03-01T00:00:0${second}Z` })

it('leaves out the queue', () => {
  const events = [
    at(taskStatus.received, 0),
    at(taskStatus.queued, 1),
    at(taskStatus.running, 5),
    at(taskStatus.completed, 7),
  ]
  expect(workStartOf(events)).toBe('2026-03-01T00:00:05Z')
})

it('has no start for a run that was cancelled in the queue', () => {
  expect(workStartOf([at(taskStatus.queued, 1), at(taskStatus.cancelled, 2)])).toBeUndefined()
})
