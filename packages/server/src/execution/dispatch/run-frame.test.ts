// Guarantees: a task whose frame fails because the database is unavailable is sent again later; a task with any other
// error fails with the reason.
import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { givenApp, run, taskOf } from '../tasks/testing/given.ts'
import { runFrame } from './run-frame.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
  await world.call('owner', 'POST /secrets', { body: { key: 'MILL_KEY', value: 'v' } })
})
afterAll(() => world?.close())

/** Accepted and dispatched to an engine. */
const givenSent = async () => {
  const app = await givenApp(world, { required_secrets: [{ key: 'MILL_KEY' }] })
  const { id } = await run(world, app)
  const { db } = world.open.platform
  const task = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return { ...task, app_name: app.name }
}

const engine = { public_key: '' }

it('stays dispatched while the database is unavailable', async () => {
  const task = await givenSent()
  const away = new Proxy(world.ctx().db, {
    get: () => {
      throw new Error('Connection terminated due to connection timeout')
    },
  })
  expect(await runFrame({ ...world.ctx(), db: away }, task, engine)).toBeNull()
  expect((await taskOf(world, task.id)).status).toBe(taskStatus.queued)
  expect(await runFrame(world.ctx(), task, engine)).toMatchObject({ data: { task: { id: task.id } } })
})

it('fails if the version was deleted', async () => {
  const task = await givenSent()
  expect(await runFrame(world.ctx(), { ...task, app_version_id: 'none' }, engine)).toBeNull()
  expect(await taskOf(world, task.id)).toMatchObject({
    status: taskStatus.failed,
    error: 'The version of the app no longer exists',
  })
})
