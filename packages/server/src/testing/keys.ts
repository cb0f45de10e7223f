// Keys for tests: made through the door, and asked whether they still open one.
import { expect } from 'vitest'
import type { As, World } from './world.ts'

/** A key made by `POST /apikeys`, with its whole value. */
export const givenKey = async (world: World, as: As, body: Record<string, unknown> = {}) => {
  const answer = await world.call(as, 'POST /apikeys', { body: { name: 'made', ...body } })
  expect(answer.status, answer.text).toBe(200)
  return answer.data as { id: string; key: string }
}

/** Whether the server takes this key for a credential. */
export const keyWorks = async (world: World, key: string): Promise<boolean> => {
  const { status } = await world.call({ token: key }, 'GET /entitlements')
  expect([200, 401]).toContain(status)
  return status === 200
}
