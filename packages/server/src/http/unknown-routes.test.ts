// Guards: who knocks where no door is takes its turn like everybody, by its address; a flood of that would else be nobody's.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type * as Turns from '../access/turns.ts'
import { callerOfAddress } from '../core/caller.ts'
import { createWorld, type World } from '../testing/world.ts'

const tookTurns = vi.hoisted((): (string | null)[] => [])

vi.mock('../access/turns.ts', async (original) => {
  const { createTurns } = await original<typeof Turns>()
  return {
    createTurns: (...given: Parameters<typeof createTurns>): Turns.Turns => {
      const turns = createTurns(...given)
      return {
        ...turns,
        take: (tenant, work, whenGone) => {
          tookTurns.push(tenant)
          return turns.take(tenant, work, whenGone)
        },
      }
    },
  }
})

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it.each(['GET /no/such/route', 'DELETE /search'])('%s is answered in turn', async (door) => {
  tookTurns.length = 0
  const { status } = await world.call(null, door)
  expect([404, 405]).toContain(status)
  expect(tookTurns).toContain(callerOfAddress('127.0.0.1'))
})
