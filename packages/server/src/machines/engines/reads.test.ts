// Guarantees: a reader that has seen the end of a stopped engine gets 204; any other reader gets the snapshot.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { register } from './testing/engine-double.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('only for a stopped engine and a reader at or after its last event', async () => {
  const { id } = await register(world)
  const follow = (lastSeen: number) =>
    world.call('owner', `GET /engines/${id}/stream`, { headers: { 'last-event-id': String(lastSeen) } })
  await world.call('owner', `POST /engines/${id}/stop`)
  const { text } = await world.call('owner', `GET /engines/${id}/stream`)
  const last = Number(/^id: (\d+)$/m.exec(text)?.[1])
  expect((await follow(last - 1)).status).toBe(200)
  expect((await follow(last)).status).toBe(204)
  expect((await world.call('owner', `GET /engines/${id}/stream?last_event_id=${last}`)).status).toBe(204)
})
