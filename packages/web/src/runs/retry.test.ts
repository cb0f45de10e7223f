// Guarantees: a retry has the function, input, setup and variant of the run, and the current version of the app.
import type { Task } from '@millrace/contract/tasks'
import { expect, it } from 'vitest'
import { retryOf } from './retry.ts'

const task = { app_id: 'a', app_version_id: 'old', function: 'run', input: { n: 1 }, setup: null, app_variant: '' }

it('keeps what was sent and leaves the version to the server', () => {
  expect(retryOf(task as unknown as Task)).toEqual({ app_id: 'a', function: 'run', input: { n: 1 } })
  const whole = { ...task, setup: { model: 'm' }, app_variant: 'large' }
  expect(retryOf(whole as unknown as Task)).toMatchObject({ setup: { model: 'm' }, variant: 'large' })
})
