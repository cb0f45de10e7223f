// Guarantees: only callers with write access cancel, delete or change the visibility of a task.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { finish, givenTasks, run, shown, unknownId, waiting, writeRefusals } from './testing/given.ts'

scenarios('tasks.cancel', givenTasks, [
  {
    claim: 'a queued task ends immediately',
    as: 'member',
    path: waiting,
    body: '',
    headers: { 'content-type': 'application/json', 'content-length': '0' },
    status: 200,
    emits: ['task', 'tasks', 'team/tasks'],
    check: ({ data }) => expect(data.status).toBe(12),
  },
  {
    claim: 'a finished task does not change',
    as: 'owner',
    path: shown,
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ status: 10, logs: [] }),
  },
  {
    claim: 'an invalid timeout',
    as: 'owner',
    path: waiting,
    body: { timeout: -1 },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a public task of another workspace', as: 'stranger', path: shown, status: 403, code: 'forbidden' },
  ...writeRefusals(),
])

const gone = async (world: World, id: string) => (await world.call('owner', `GET /tasks/${id}`)).status

scenarios('tasks.delete', givenTasks, [
  {
    claim: 'a queued task is canceled and deleted',
    as: 'owner',
    path: waiting,
    status: 200,
    emits: ['task', 'tasks', 'team/tasks'],
    check: async ({ data }, given, world) => {
      expect(data).toEqual({ success: true })
      expect(await gone(world, given.waiting)).toBe(404)
    },
    audits: ['task.deleted'],
  },
  { claim: 'a finished one', as: 'owner', path: shown, status: 200, audits: ['task.deleted'] },
  ...writeRefusals(),
])

scenarios('tasks.visibility', givenTasks, [
  {
    claim: 'is changed',
    as: 'owner',
    path: waiting,
    body: { visibility: 'private' },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ visibility: 'private', logs: [] }),
    audits: ['task.visibility'],
    emits: ['task'],
  },
  {
    claim: 'a member who did not run it',
    as: 'member',
    path: waiting,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'an unknown visibility',
    as: 'owner',
    path: waiting,
    body: { visibility: 'secret' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a step of a flow run cannot be hidden alone',
    as: 'owner',
    act: async (world, { waiting }) => {
      const { db } = world.open.platform
      await db.updateTable('tasks').set({ flow_run_id: unknownId }).where('id', '=', waiting).execute()
      return world.call('owner', `POST /tasks/${waiting}/visibility`, { body: { visibility: 'private' } })
    },
    status: 409,
    code: 'invalid_state',
  },
  ...writeRefusals({ visibility: 'team' }),
])

const body = { is_featured: true }
scenarios('tasks.feature', givenTasks, [
  {
    claim: 'by platform administrators',
    as: 'platform',
    path: shown,
    body,
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ is_featured: true, logs: [] }),
  },
  {
    claim: 'a wrong value',
    as: 'platform',
    path: shown,
    body: { is_featured: 'yes' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'not there', as: 'platform', path: { id: unknownId }, body, status: 404, code: 'not_found' },
])

scenarios('tasks.redeliver', givenTasks, [
  {
    claim: 'sends the event again',
    as: 'owner',
    act: async (world, { app }) => {
      const { id } = await run(world, app, { webhook: 'https://hooks.example.com/x' })
      await finish(world, id)
      return world.call('owner', `POST /tasks/${id}/webhooks/redeliver`)
    },
    status: 200,
    audits: ['task.webhook_redelivered'],
  },
  { claim: 'nothing to send', as: 'owner', path: waiting, status: 409, code: 'invalid_state' },
  ...writeRefusals(),
])
