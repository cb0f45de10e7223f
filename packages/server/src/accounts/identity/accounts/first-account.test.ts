// Guarantees: parts of the server that wait for the first account learn of it, and waiting costs no query of its own.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { awaitPlatformTeam } from './first-account.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const setPlatform = (isPlatform: boolean) =>
  world.open.platform.db
    .updateTable('teams')
    .set({ is_platform: isPlatform })
    .where('username', '=', 'millrace')
    .execute()

it('waits in the statement of the periodic tasks and ends with the first account', async () => {
  const { db, periodicTasks } = world.open.platform
  await setPlatform(false)
  let queries = 0
  const platform = {
    ...world.open.platform,
    db: db.withPlugin({
      transformQuery: ({ node }) => {
        queries += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }),
  }
  const waiting = awaitPlatformTeam(platform, new AbortController().signal)
  await expect.poll(() => queries).toBe(1)
  expect(await periodicTasks.ask(db)).not.toContain('first account')
  expect(await periodicTasks.ask(db)).not.toContain('first account')
  expect(queries).toBe(1)
  await setPlatform(true)
  expect(await periodicTasks.ask(db)).toContain('first account')
  expect(await waiting).toMatchObject({ id: expect.any(String), owner_id: world.people.platform.userId })
})

it('ends when the server stops', async () => {
  await setPlatform(false)
  const stopping = new AbortController()
  const waiting = awaitPlatformTeam(world.open.platform, stopping.signal)
  stopping.abort()
  expect(await waiting).toBeNull()
  await setPlatform(true)
})
