// Guarantees: which actor a request has: bearer and cookie, cross-site pages, workspaces in a header, suspended and
// deleted accounts, as in [access 1], on a real server.
import { newId, shortId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKeyText, newOpaqueToken } from '#platform/core/tokens.ts'
import { createWorld, type PersonName, type World } from '../../testing/world.ts'
import { createSession } from '../identity/service.ts'
import { platformStatusOf } from './authenticate.ts'
import { forgetCredentials } from './credential-cache.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

/** `authenticated`: 401 without a credential, 200 with any valid one. */
const route = 'GET /entitlements'
const own = () => world.open.platform.settings.APP_URL

const send = async (headers: Record<string, string>, method = route) => {
  const { status, code, data, headers: answered } = await world.call(null, method, { headers })
  return { status, code, data, cookies: [answered['set-cookie'] ?? []].flat() }
}
const verdict = async (headers: Record<string, string>, method?: string) => {
  const { status, code } = await send(headers, method)
  return status === 200 ? 200 : `${status} ${code}`
}
const teamOf = async (headers: Record<string, string>): Promise<string> => {
  const { status, code, data } = await send(headers)
  return status === 200 ? data[0].team_id : `${status} ${code}`
}

const browser = async (who: PersonName) => {
  const { secret, csrfToken } = await createSession(world.ctx(), {
    userId: world.people[who].userId,
    kind: 'browser',
    authMethod: 'magic-link',
  })
  return { cookie: `session=${secret}`, secret, csrf: csrfToken }
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('bearers', () => {
  it('are refused when they cannot be one of ours, are unknown, or are not sent as a bearer', async () => {
    const { owner } = world.people
    const cases = [
      'Bearer',
      'Bearer ',
      `Basic ${owner.token}`,
      owner.token,
      'Bearer mill-nonsense',
      `Bearer ${newKeyText()}`,
      `Bearer sess_${newOpaqueToken()}`,
      `Bearer ${newOpaqueToken()}`,
      `Bearer ${owner.token} more`,
    ]
    for (const authorization of cases) expect(await verdict({ authorization })).toBe('401 unauthorized')
    expect(await verdict({ authorization: `bearer  ${owner.token}` })).toBe(200)
  })

  it('a browser’s cookie secret is not a bearer, and a session token is not a cookie', async () => {
    const { secret, cookie } = await browser('owner')
    expect(await verdict({ cookie })).toBe(200)
    expect(await verdict(bearer(secret))).toBe('401 unauthorized')
    const { token } = world.people.owner
    expect(await verdict(bearer(token))).toBe(200)
    expect(await verdict({ cookie: `session=${token}` })).toBe('401 unauthorized')
  })

  it('a broken bearer is refused even beside a good cookie', async () => {
    const { cookie } = await browser('owner')
    expect(await verdict({ cookie, ...bearer('mill-x') })).toBe('401 unauthorized')
  })
})

describe('cookies', () => {
  it('serve reads and writes of the own app, and nothing of another site, reads included', async () => {
    const { cookie, csrf } = await browser('owner')
    const write = 'POST /apikeys/list'
    const cases: [Record<string, string>, string, number | string][] = [
      [{ cookie }, route, 200],
      [{ cookie, origin: own() }, route, 200],
      [{ cookie, origin: 'https://evil.example' }, route, '401 unauthorized'],
      [{ cookie, origin: 'null' }, route, '401 unauthorized'],
      [{ cookie, origin: own() }, write, 200],
      [{ cookie, origin: 'https://evil.example', 'x-csrf-token': csrf }, write, '401 unauthorized'],
      [{ cookie }, write, '403 csrf_failed'],
      [{ cookie, 'x-csrf-token': 'wrong' }, write, '403 csrf_failed'],
      [{ cookie, 'x-csrf-token': '' }, write, '403 csrf_failed'],
      [{ cookie: `${cookie}; csrf=${csrf}`, 'x-csrf-token': csrf }, write, 200],
    ]
    for (const [headers, method, expected] of cases) expect(await verdict(headers, method)).toBe(expected)
  })

  it('a stale or invented one is a signed-out browser, not an error where nobody has to sign in', async () => {
    for (const cookie of [`session=${newOpaqueToken()}`, 'session=x', 'session=']) {
      expect(await verdict({ cookie }, 'GET /scopes')).toBe(200)
      expect(await verdict({ cookie, 'x-team-id': world.team.id }, 'GET /scopes')).toBe(200)
      expect(await verdict({ cookie })).toBe('401 unauthorized')
    }
  })

  it('slide: use within the thirty days gives thirty more, in the database and in the browser', async () => {
    const { cookie, secret } = await browser('owner')
    expect((await send({ cookie })).cookies).toEqual([])
    const dayMs = 24 * 3600_000
    world.clock.advance(29 * dayMs)
    const { cookies } = await send({ cookie })
    expect(cookies[0]).toBe(`session=${secret}; Path=/; Max-Age=2592000; SameSite=Lax; HttpOnly`)
    expect(cookies[1]).toMatch(/^csrf=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; SameSite=Lax$/)
    expect((await send({ cookie })).cookies).toEqual([])
    world.clock.advance(29 * dayMs)
    expect(await verdict({ cookie })).toBe(200)
    world.clock.advance(30 * dayMs + 1)
    expect(await verdict({ cookie })).toBe('401 unauthorized')
  })
})

describe('the workspace', () => {
  it('of a session is the one named by id, short id or username; only own ones', async () => {
    world = await fresh()
    const { token, personalTeamId } = world.people.member
    const named = (team: string) => teamOf({ ...bearer(token), 'x-team-id': team })
    expect(await teamOf(bearer(token))).toBe(personalTeamId)
    expect(await named(world.team.id)).toBe(world.team.id)
    expect(await named(shortId(world.team.id))).toBe(world.team.id)
    expect(await named(world.team.username)).toBe(world.team.id)
    for (const other of [world.otherTeam.id, world.otherTeam.username, newId(), '%%%%%%%%', '________', '%', 'x'])
      expect(await named(other)).toBe('403 forbidden')
  })

  it('chosen at approval is kept to; a default that is gone falls back to the personal one', async () => {
    const { userId, personalTeamId } = world.people.member
    const chosen = await createSession(world.ctx(), {
      userId,
      kind: 'token',
      authMethod: 'device-auth',
      teamId: world.team.id,
    })
    expect(await teamOf(bearer(chosen.secret))).toBe(world.team.id)
    const { db } = world.open.platform
    await db.updateTable('users').set({ default_team_id: world.otherTeam.id }).where('id', '=', userId).execute()
    const plain = await createSession(world.ctx(), { userId, kind: 'token', authMethod: 'magic-link' })
    expect(await teamOf(bearer(plain.secret))).toBe(personalTeamId)
    await db.deleteFrom('team_members').where('team_id', '=', world.team.id).where('user_id', '=', userId).execute()
    await forgetCredentials(world.ctx(), userId)
    expect(await teamOf(bearer(chosen.secret))).toBe('403 forbidden')
  })

  it('of a key is pinned: the header may only repeat it', async () => {
    const key = (await world.token('key:')) ?? ''
    const named = (team: string) => teamOf({ ...bearer(key), 'x-team-id': team })
    for (const same of [world.team.id, shortId(world.team.id), world.team.username])
      expect(await named(same)).toBe(world.team.id)
    const { personalTeamId } = world.people.owner
    for (const other of [personalTeamId, world.otherTeam.id, world.team.id.slice(0, 3), 'x'])
      expect(await named(other)).toBe('403 forbidden')
  })
})

describe('what ended', () => {
  const db = () => world.open.platform.db
  const forget = (id: string) => forgetCredentials(world.ctx(), id)

  it('a suspended account or workspace gets a clear refusal with every credential', async () => {
    world = await fresh()
    const { userId, token } = world.people.owner
    const { cookie } = await browser('owner')
    const key = (await world.token('key:')) ?? ''
    const carried = [bearer(token), bearer(key), { cookie }]
    for (const headers of carried) expect(await verdict(headers)).toBe(200)
    await db().updateTable('users').set({ banned_at: new Date().toISOString() }).where('id', '=', userId).execute()
    await forget(userId)
    for (const headers of carried) expect(await verdict(headers)).toBe('403 forbidden')
    for (const headers of carried) expect(await verdict(headers, 'GET /scopes')).toBe('403 forbidden')
    await db().updateTable('users').set({ banned_at: null }).where('id', '=', userId).execute()
    await db().updateTable('teams').set({ status: 'suspended' }).where('id', '=', world.team.id).execute()
    await forget(userId)
    expect(await verdict(bearer(key))).toBe('403 forbidden')
    expect(await verdict({ ...bearer(token), 'x-team-id': world.team.id })).toBe('403 forbidden')
    expect(await verdict(bearer(token))).toBe(200)
  })

  it('deleted accounts, archived workspaces, revoked and expired sessions are no credentials at all', async () => {
    world = await fresh()
    const { stranger, member } = world.people
    const key = (await world.token('stranger-key:')) ?? ''
    expect(await verdict(bearer(key))).toBe(200)
    const now = new Date().toISOString()
    await db().updateTable('teams').set({ deleted_at: now }).where('id', '=', world.otherTeam.id).execute()
    await forget(world.otherTeam.id)
    expect(await verdict(bearer(key))).toBe('401 unauthorized')

    const memberKey = (await world.token('member-key:')) ?? ''
    expect(await verdict(bearer(memberKey))).toBe(200)
    await db().updateTable('users').set({ deleted_at: now }).where('id', '=', member.userId).execute()
    await forget(member.userId)
    expect(await verdict(bearer(memberKey))).toBe('401 unauthorized')
    expect(await verdict(bearer(member.token))).toBe('401 unauthorized')

    const short = await createSession(world.ctx(), {
      userId: stranger.userId,
      kind: 'token',
      authMethod: 'device-auth',
      lifetimeSeconds: 60,
    })
    expect(await verdict(bearer(short.secret))).toBe(200)
    world.clock.advance(60_000)
    expect(await verdict(bearer(short.secret))).toBe('401 unauthorized')

    expect(await verdict(bearer(stranger.token))).toBe(200)
    await db().updateTable('auth_sessions').set({ revoked_at: now }).where('user_id', '=', stranger.userId).execute()
    await forget(stranger.userId)
    expect(await verdict(bearer(stranger.token))).toBe('401 unauthorized')
  })
})

describe('platform power', () => {
  const signIn = { user_role: 'admin', elevated: false, kind: 'browser', totp_confirmed_at: '2030-01-01T00:00:00Z' }
  it.each([
    ['not staff, even with a second factor', { ...signIn, user_role: 'user', elevated: true }, 'not_staff'],
    ['a browser that proved its authenticator', { ...signIn, elevated: true }, 'powered'],
    ['a browser that has not yet', signIn, 'otp_required'],
    ['a browser without an authenticator', { ...signIn, totp_confirmed_at: null }, 'admin_authenticator_required'],
    [
      'a browser whose authenticator was removed',
      { ...signIn, elevated: true, totp_confirmed_at: null },
      'admin_authenticator_required',
    ],
    ['the operator’s command line', { ...signIn, kind: 'token', elevated: true, totp_confirmed_at: null }, 'powered'],
    ['an ordinary command line', { ...signIn, kind: 'token' }, 'admin_session_required'],
  ] as const)('%s', (_claim, row, expected) => {
    expect(platformStatusOf(row)).toBe(expected)
  })
})

/** A new world for tests that suspend or delete people; the previous one is closed. */
const fresh = async (): Promise<World> => {
  await world.close()
  return createWorld()
}
