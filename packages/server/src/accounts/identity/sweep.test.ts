// Guarantees: expired leftovers of sign-ins are deleted, and valid ones are not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { createSession } from './service.ts'
import { sweepSignIns } from './sweep.ts'
import { requestLink } from './testing/sign-in.ts'

const hourMs = 3_600_000

describe('the sweep', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ runJobs: true })
  })
  afterAll(() => world?.close())

  const counts = async () => {
    const { db } = world.open.platform
    const links = await db.selectFrom('magic_links').select('id').execute()
    const sessions = await db.selectFrom('auth_sessions').select('id').execute()
    return { links: links.length, sessions: new Set(sessions.map(({ id }) => id)) }
  }

  it('takes used links after their hour and ended sessions after a day', async () => {
    const session = (lifetimeSeconds: number) =>
      createSession(world.ctx(), { userId: world.people.owner.userId, kind: 'token', authMethod: 'x', lifetimeSeconds })
    const [brief, revoked, lasting] = [await session(60), await session(1e6), await session(1e6)]
    await world.call({ token: revoked.secret }, 'POST /auth/logout')
    const { token } = await requestLink(world)
    await world.call(null, 'POST /auth/magic-link/verify', { body: { token } })

    world.clock.advance(hourMs)
    await sweepSignIns(world.open.platform)
    const soon = await counts()
    expect(soon.links).toBe(1)
    expect([brief, revoked, lasting].every(({ id }) => soon.sessions.has(id))).toBe(true)

    world.clock.advance(25 * hourMs)
    await sweepSignIns(world.open.platform)
    const later = await counts()
    expect(later.links).toBe(0)
    expect([brief, revoked, lasting].map(({ id }) => later.sessions.has(id))).toEqual([false, false, true])
  })
})
