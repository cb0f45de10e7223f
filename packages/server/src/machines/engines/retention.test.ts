// Guarantees (finding of deleted engines): an engine that was deleted long ago leaves no rows, neither of itself nor of
// its workers; a recent one and those in use stay.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { sweepDeletedEngines } from './retention.ts'
import { register } from './testing/engine-double.ts'

const dayMs = 24 * 3600_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const rowsOf = async (engineId: string) => {
  const { db } = world.open.platform
  const engines = await db.selectFrom('engines').select('id').where('id', '=', engineId).execute()
  const workers = await db.selectFrom('workers').select('id').where('engine_id', '=', engineId).execute()
  return { engines: engines.length, workers: workers.length }
}

it('after 30 days an engine that was deleted has no rows', async () => {
  const [old, recent, live] = [await register(world), await register(world), await register(world)]
  expect((await world.call('owner', `DELETE /engines/${old.id}`)).status).toBe(200)
  world.clock.advance(29 * dayMs)
  await sweepDeletedEngines(world.open.platform)
  expect(await rowsOf(old.id)).toEqual({ engines: 1, workers: old.workers.length })
  expect((await world.call('owner', `DELETE /engines/${recent.id}`)).status).toBe(200)
  world.clock.advance(2 * dayMs)
  await sweepDeletedEngines(world.open.platform)
  expect(await rowsOf(old.id)).toEqual({ engines: 0, workers: 0 })
  expect(await rowsOf(recent.id)).toEqual({ engines: 1, workers: recent.workers.length })
  expect(await rowsOf(live.id)).toEqual({ engines: 1, workers: live.workers.length })
})
