// Keys for tests: creates them through the API and checks whether they work.
import { expect } from 'vitest'
import type { As, World } from './world.ts'

/** A key created by `POST /apikeys`, with its whole value. */
export const givenKey = async (world: World, as: As, body: Record<string, unknown> = {}) => {
  const answer = await world.call(as, 'POST /apikeys', { body: { name: 'made', ...body } })
  expect(answer.status, answer.text).toBe(200)
  return answer.data as { id: string; key: string }
}

/** True if the server accepts this key. */
export const keyWorks = async (world: World, key: string): Promise<boolean> => {
  const { status } = await world.call({ token: key }, 'GET /entitlements')
  expect([200, 401]).toContain(status)
  return status === 200
}
