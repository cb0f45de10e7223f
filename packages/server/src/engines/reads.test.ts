// Guards: whoever has seen an engine stop is told that nothing will come any more; whoever has not is shown it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actorOf } from '../apps/testing/given.ts'
import { createCtx } from '../core/ctx.ts'
import { createWorld, type World } from '../testing/world.ts'
import { streamEngine } from './reads.ts'
import { register } from './testing/engine-double.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('only a stopped engine, and only for a reader at or past its last event', async () => {
  const { id } = await register(world)
  const ctx = createCtx(world.open.platform, actorOf(world, 'owner'))
  const finished = async (lastSeen: number | null) => (await streamEngine(ctx, id, lastSeen)).finished
  expect(await finished(1000)).toBe(false)
  await world.call('owner', `POST /engines/${id}/stop`)
  const { text } = await world.call('owner', `GET /engines/${id}/stream`)
  const last = Number(/^id: (\d+)$/m.exec(text)?.[1])
  expect([await finished(null), await finished(last - 1), await finished(last)]).toEqual([false, false, true])
})
