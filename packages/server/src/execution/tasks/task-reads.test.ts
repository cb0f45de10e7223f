// Guarantees: callers with access can read tasks, and each part has its documented shape.

import { newId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { type GivenTasks, givenApp, givenTasks, readRefusals, run, shown, waiting } from './testing/given.ts'

const list = (extra: object = {}) => ({ filters: [], ...extra })

scenarios('tasks.list', givenTasks, [
  {
    claim: "lists the workspace's tasks, newest first, with their app and without logs",
    as: 'member',
    status: 200,
    check: ({ data }, given) => {
      const ids = data.items.map((item: { id: string }) => item.id)
      expect(ids).toContain(given.waiting)
      expect(ids).not.toContain(given.foreign)
      expect(data.items[0].app.id).toBe(data.items[0].app_id)
      expect(data.items[0]).not.toHaveProperty('logs')
    },
  },
  {
    claim: 'filters by status and app',
    as: 'owner',
    route: 'POST /tasks/list',
    body: ({ app }: GivenTasks) =>
      list({
        filters: [
          { field: 'app_id', operator: 'eq', value: app.id },
          { field: 'status', operator: 'eq', value: 10 },
        ],
      }),
    status: 200,
    check: ({ data }, given) => expect(data.items.map((item: { id: string }) => item.id)).toEqual([given.shown]),
  },
  {
    claim: 'preloads the app without `app_id`, and the requested owners',
    as: 'owner',
    route: 'POST /tasks/list',
    body: ({ app }: GivenTasks) =>
      list({
        filters: [{ field: 'app_id', value: app.id }],
        fields: ['app', 'user', 'team'],
        preloads: ['user', 'team'],
      }),
    status: 200,
    check: ({ data }, { app }, { team }) => {
      expect(data.items.length).toBeGreaterThan(0)
      for (const item of data.items)
        expect(item).toEqual({
          id: expect.any(String),
          app: expect.objectContaining({ id: app.id }),
          user: expect.objectContaining({ id: expect.any(String) }),
          team: expect.objectContaining({ id: team.id, username: team.username }),
        })
    },
  },
  {
    claim: 'a filter by an unknown field',
    as: 'owner',
    route: 'POST /tasks/list',
    body: list({ filters: [{ field: 'input', operator: 'eq', value: 1 }] }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an anonymous caller sees only public tasks',
    as: null,
    status: 200,
    check: ({ data }) => {
      for (const { visibility } of data.items) expect(visibility).toBe('public')
    },
  },
])

scenarios('tasks.featured', givenTasks, [
  {
    claim: 'featured public tasks',
    as: null,
    act: async (world, given) => {
      await world.call('platform', `POST /tasks/${given.shown}/featured`, { body: { is_featured: true } })
      return world.call(null, 'GET /tasks/featured')
    },
    status: 200,
    check: ({ data }, given) => {
      const ids = data.items.map((item: { id: string }) => item.id)
      expect(ids).toContain(given.shown)
      expect(ids).not.toContain(given.waiting)
    },
  },
  { claim: 'a broken limit', as: null, query: { limit: 'many' }, status: 400, code: 'validation_error' },
])

scenarios('tasks.get', givenTasks, [
  {
    claim: 'the whole task',
    as: 'member',
    path: shown,
    status: 200,
    check: ({ data }, { app, shown }) => {
      expect(data).toMatchObject({ id: shown, status: 10, input: { text: 'hi' }, output: { text: 'hi' }, workers: [] })
      expect(data).toMatchObject({
        app: { id: app.id },
        app_version: { id: app.version_id },
        engine: null,
        worker: null,
      })
      expect(data.app_version).not.toHaveProperty('flow_version')
      expect(data.logs).toEqual([])
      expect(data).not.toHaveProperty('error')
    },
  },
  { claim: 'by its short id', as: 'owner', path: ({ waiting }) => ({ id: waiting.slice(0, 8) }), status: 200 },
  { claim: 'an anonymous caller reads a public task', as: null, path: shown, status: 200 },
  {
    claim: 'a task whose app was deleted',
    as: 'owner',
    act: async (world) => {
      const app = await givenApp(world)
      const { id } = await run(world, app)
      await world.call('owner', `DELETE /apps/${app.id}`)
      return world.call('owner', `GET /tasks/${id}`)
    },
    status: 200,
    check: ({ data }) =>
      expect(data).toMatchObject({
        app: { id: data.app_id, deleted_at: expect.any(String) },
        app_version: { id: data.app_version_id },
      }),
  },
  ...readRefusals,
])

scenarios('tasks.status', givenTasks, [
  {
    claim: 'only the fields for polling',
    as: 'member',
    path: shown,
    status: 200,
    check: ({ data }, given) => {
      expect(Object.keys(data).sort()).toEqual(['id', 'status', 'updated_at'])
      expect(data).toMatchObject({ id: given.shown, status: 10 })
    },
  },
  ...readRefusals,
])

scenarios('tasks.stream', givenTasks, [
  {
    claim: 'a finished task is a single event and the end',
    as: 'member',
    path: shown,
    status: 200,
    check: ({ text }) => expect(text.match(/^event: \w+/gm)).toEqual(['event: update', 'event: done']),
  },
  {
    claim: 'a reader that has seen the end gets 204',
    as: 'member',
    path: shown,
    headers: { 'last-event-id': '9' },
    status: 204,
  },
  { claim: 'the same by query', as: 'member', path: shown, query: { last_event_id: '9' }, status: 204 },
  {
    claim: 'a stream of lines always gets the snapshot',
    as: 'member',
    path: shown,
    headers: { accept: 'application/jsonl', 'last-event-id': '9' },
    status: 200,
    check: ({ text }) => expect(JSON.parse(text)).toMatchObject({ status: 10 }),
  },
  {
    claim: 'the last event contains status, output, error and session, even without an error',
    as: 'member',
    path: shown,
    headers: { accept: 'application/x-ndjson' },
    status: 200,
    check: ({ text }) =>
      expect(JSON.parse(text)).toMatchObject({ status: 10, output: expect.anything(), error: '', session_id: null }),
  },
  ...readRefusals,
])

scenarios('tasks.logs', givenTasks, [
  {
    claim: 'logs and events',
    as: 'member',
    path: shown,
    status: 200,
    check: ({ data }, given) => {
      expect(data).toMatchObject({ task_id: given.shown, status: 10, logs: [] })
      expect(data.events.map((event: { status: number }) => event.status)).toEqual([1, 2, 10])
    },
  },
  ...readRefusals,
])

scenarios('tasks.timings', givenTasks, [
  {
    claim: 'groups and events',
    as: 'member',
    path: shown,
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ status: 10, groups: [{ label: 'queue' }] }),
  },
  ...readRefusals,
])

const sampled = async (world: World): Promise<GivenTasks> => {
  const given = await givenTasks(world)
  const values = {
    app_id: given.app.id,
    app_version_id: '',
    engine_id: 'e',
    worker_id: 'w',
    created_at: new Date().toISOString(),
  }
  const sample = { task_id: given.shown, engine_resources: '{}', system_info: '{}', ...values }
  for (const task_seq of [2, 1])
    await world.open.platform.db
      .insertInto('task_telemetry')
      .values({ id: newId(), task_seq, ...sample })
      .execute()
  return given
}

scenarios('tasks.telemetry', sampled, [
  {
    claim: 'samples in order',
    as: 'member',
    path: shown,
    status: 200,
    check: ({ data }) => expect(data.map((sample: { task_seq: number }) => sample.task_seq)).toEqual([1, 2]),
  },
  ...readRefusals,
])

scenarios('tasks.cost', givenTasks, [
  {
    claim: 'nothing, here',
    as: 'member',
    path: shown,
    status: 200,
    check: ({ data }) => expect(data).toEqual({ total: 0, discount: 0, charged: 0 }),
  },
  ...readRefusals,
])

scenarios('tasks.webhooks', givenTasks, [
  {
    claim: 'a task without a webhook has no deliveries',
    as: 'member',
    path: waiting,
    status: 200,
    check: ({ data }) => expect(data).toEqual([]),
  },
  { claim: 'another workspace', as: 'stranger', path: waiting, status: 404, code: 'not_found' },
])
