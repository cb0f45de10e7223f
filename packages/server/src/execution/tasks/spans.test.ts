// Guarantees: a task has one span per run, and per attempt one for the wait, the engine and the app; the app receives
// the context of its own span.
import { taskStatus } from '@millrace/contract/task-status'
import { expect, it } from 'vitest'
import { contextWithin, formatTraceparent, parseTraceparent } from '#platform/tracing/context.ts'
import { appTraceparent, spansOf } from './spans.ts'

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const within = (parent: string, key: string) => formatTraceparent(contextWithin(parent, key))

type Name = keyof typeof taskStatus
const row = (...statuses: Name[]) => ({
  id: 'task1',
  team_id: 'team1',
  app_id: 'app1',
  function: 'run',
  status: taskStatus[statuses.at(-1) ?? 'received'],
  events: statuses.map((name, index) => ({
    id: `${index}`,
    status: taskStatus[name],
    event_time: `2026-01-01T00:00:0${index}.000000Z`,
  })),
  traceparent,
  engine_id: 'engine1',
  worker_id: 'worker1',
  flow_run_id: null,
  flow_node_id: null,
  sub_flow_run_id: null,
})

const shown = (spans: ReturnType<typeof spansOf>) => {
  const names = new Map(spans.map(({ context, name }) => [context.spanId, name]))
  return spans.map(({ name, parent, startMs, endMs, failed }) => [
    name,
    names.get(parseTraceparent(parent)?.spanId ?? '') ?? 'caller',
    new Date(startMs).getUTCSeconds(),
    new Date(endMs).getUTCSeconds(),
    failed,
  ])
}

it('a run with its wait, its engine and its app', () => {
  const spans = spansOf(row('received', 'queued', 'dispatched', 'preparing', 'running', 'uploading', 'completed'))
  expect(shown(spans)).toEqual([
    ['run', 'caller', 0, 6, false],
    ['dispatch', 'run', 1, 2, false],
    ['engine', 'run', 2, 6, false],
    ['app', 'engine', 4, 5, false],
  ])
  expect(new Set(spans.map(({ context }) => context.traceId))).toEqual(new Set(['a'.repeat(32)]))
  const handed = parseTraceparent(appTraceparent(within, { id: 'task1', traceparent, attempt: 1 }))
  expect(handed).toEqual(spans.at(-1)?.context)
})

it('a lost engine and the attempt after it', () => {
  const spans = spansOf(row('received', 'queued', 'dispatched', 'running', 'queued', 'dispatched', 'running', 'failed'))
  expect(shown(spans)).toEqual([
    ['run', 'caller', 0, 7, true],
    ['dispatch', 'run', 1, 2, false],
    ['engine', 'run', 2, 4, false],
    ['app', 'engine', 3, 4, false],
    ['dispatch', 'run', 4, 5, false],
    ['engine', 'run', 5, 7, true],
    ['app', 'engine', 6, 7, true],
  ])
})

it('an app without a recorded start begins at the last report before its end', () => {
  expect(shown(spansOf(row('received', 'queued', 'dispatched', 'preparing', 'completed'))).at(-1)).toEqual([
    'app',
    'engine',
    3,
    4,
    false,
  ])
})

it('a run that was canceled while it was queued has no spans inside', () => {
  expect(shown(spansOf(row('received', 'queued', 'cancelled')))).toEqual([['run', 'caller', 0, 2, true]])
})
