// Guards: history goes when the workspace's time for it is over, and only then; the task stays.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../testing/world.ts'
import { sweepHistory } from './retention.ts'
import { finish, givenApp, run } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

it('logs go after ninety days', async () => {
  const { db } = world.open.platform
  const app = await givenApp(world)
  const [old, live] = [await run(world, app), await run(world, app)]
  for (const { id } of [old, live])
    await db.insertInto('task_log_chunks').values({ task_id: id, log_type: 1, content: 'x' }).execute()
  await finish(world, old.id)
  const logs = async () =>
    (await db.selectFrom('task_log_chunks').select('task_id').execute()).map((row) => row.task_id)
  world.clock.advance(90 * 24 * 3600_000)
  await sweepHistory(world.open.platform)
  expect(await logs()).toHaveLength(2)
  world.clock.advance(1_000)
  await sweepHistory(world.open.platform)
  expect(await logs()).toEqual([live.id])
  expect((await db.selectFrom('tasks').select('output').where('id', '=', old.id).executeTakeFirst())?.output).toEqual({
    text: 'hi',
  })
})
