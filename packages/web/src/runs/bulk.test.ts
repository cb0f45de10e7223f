// Guarantees: a bulk action handles a bounded number of runs, a few at a time, and summarizes refusals by their reason.
import { taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { expect, it } from 'vitest'
import { applyToEach, maxBulk } from './bulk.ts'
import { strings } from './strings.ts'

const given = (id: number, change: Partial<Task> = {}): Task =>
  ({ id: String(id), app_id: 'app', status: taskStatus.queued, ...change }) as Task
const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id).sort()

it('continues after a refusal and counts equal reasons together', async () => {
  const tasks = [given(1), given(2), given(3, { status: taskStatus.completed }), given(4)]
  const { done, refusals } = await applyToEach('cancel', tasks, async ({ id }) => {
    if (id === '2' || id === '4') throw new Error('Run not found')
  })
  expect(idsOf(done)).toEqual(['1'])
  expect(refusals.map(({ reason, rows }) => [reason, idsOf(rows)])).toEqual(
    expect.arrayContaining([
      ['Run not found', ['2', '4']],
      [strings.bulk.ended, ['3']],
    ]),
  )
})

it('does not retry the run of a flow as an app', async () => {
  const { done, refusals } = await applyToEach('retry', [given(1, { app_id: '' })], async () => {})
  expect(done).toEqual([])
  expect(refusals.map(({ reason }) => reason)).toEqual([strings.bulk.noApp])
})

it('never handles more runs than the limit, nor more than four at a time', async () => {
  let open = 0
  let largest = 0
  const tasks = Array.from({ length: maxBulk + 20 }, (_, index) => given(index))
  const { done } = await applyToEach('delete', tasks, async () => {
    open += 1
    largest = Math.max(largest, open)
    await Promise.resolve()
    open -= 1
  })
  expect(done).toHaveLength(maxBulk)
  expect(largest).toBe(4)
})
