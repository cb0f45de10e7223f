// Guarantees: growing logs are shown once and in order, and the output of an app cannot control the terminal.
import type { TaskLog } from '@millrace/contract/tasks'
import { expect, it, test } from 'vitest'
import { createLogReader, logTypeName } from './log-text.ts'
import { progressText } from './progress-line.ts'

const log = (type: number, text: string): TaskLog => ({
  id: '1',
  created_at: '',
  updated_at: '',
  task_id: '1',
  log_type: type,
  content: Buffer.from(text).toString('base64'),
})

it('returns the new text of each kind', () => {
  const read = createLogReader()
  expect(read([log(4, 'one\n')])).toEqual([{ type: 'task', text: 'one\n' }])
  expect(read([log(4, 'one\n')])).toEqual([])
  expect(read([log(0, 'made\n'), log(4, 'one\nzwölf\n')])).toEqual([
    { type: 'build', text: 'made\n' },
    { type: 'task', text: 'zwölf\n' },
  ])
  expect(read(undefined)).toEqual([])
})

it('shows unknown kinds by their number', () => expect(logTypeName(9)).toBe('log 9'))

test.each([
  ['the status and the time', { status: 7, output: null }, 80, 'running 1.2s'],
  ['the output so far', { status: 7, output: { count: 2 } }, 80, 'running 1.2s {"count":2}'],
  ['not an empty one', { status: 2, output: {} }, 80, 'queued 1.2s'],
  ['no wider than the terminal', { status: 7, output: { text: 'x'.repeat(100) } }, 20, 'running 1.2s {"tex…'],
])('the progress line shows %s', (_claim, task, columns, expected) =>
  expect(progressText(task, 1234, columns)).toBe(expected),
)
