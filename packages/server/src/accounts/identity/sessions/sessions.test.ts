// Guarantees: people see and end only their own sessions, with immediate effect; a token created from a session never
// has more scopes or a longer lifetime than the session.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wireTime } from '#platform/core/times.ts'
import { ownWorld, scenarios } from '../../../testing/scenarios.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { createSession } from '../service.ts'

const narrowed = async (world: World, scopes: string[]): Promise<{ token: string }> => {
  const { secret } = await createSession(world.ctx(), {
    userId: world.people.owner.userId,
    kind: 'token',
    authMethod: 'device-auth',
    scopes,
  })
  return { token: secret }
}

scenarios('auth.sessions.list', async (world) => ({ narrow: await narrowed(world, ['apps:read']) }), [
  {
    claim: 'the caller’s own sessions, the asking one marked',
    as: 'member',
    status: 200,
    check: ({ data }) => {
      expect(data).toEqual([
        {
          id: expect.stringMatching(/^[0-9a-z]{26}$/),
          created_at: expect.stringMatching(/Z$/),
          expires_at: expect.stringMatching(/Z$/),
          ip: '',
          city: '',
          country: '',
          country_code: '',
          region: '',
          os: '',
          browser: '',
          browser_version: '',
          auth_method: 'magic-link',
          current: true,
        },
      ])
    },
  },
  { claim: 'a key, however wide', as: 'key:', status: 403, code: 'requires_sign_in' },
  {
    claim: 'a sign-in narrowed to something else',
    as: ({ narrow }) => narrow,
    status: 403,
    code: 'insufficient_scope',
  },
])

scenarios(
  'auth.sessions.revoke',
  async (world) => {
    const mine = await createSession(world.ctx(), { userId: world.people.owner.userId, kind: 'token', authMethod: 'x' })
    const theirs = await createSession(world.ctx(), {
      userId: world.people.stranger.userId,
      kind: 'token',
      authMethod: 'x',
    })
    return { mine, theirs, narrow: await narrowed(world, ['user:read']) }
  },
  [
    {
      claim: 'ends at once',
      as: 'owner',
      path: ({ mine }) => ({ id: mine.id }),
      status: 200,
      emits: ['access'],
      audits: ['session.revoked'],
      check: async ({ data }, { mine }, world) => {
        expect(data).toEqual({ success: true })
        expect((await world.call({ token: mine.secret }, 'GET /me')).status).toBe(401)
      },
    },
    {
      claim: 'by its short id',
      as: 'owner',
      path: ({ mine }) => ({ id: mine.id.slice(0, 8) }),
      status: 200,
      audits: ['session.revoked'],
      emits: ['access'],
    },
    {
      claim: 'for another workspace’s owner it is absent',
      as: 'stranger',
      path: ({ mine }) => ({ id: mine.id }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'another person’s session is absent',
      as: 'owner',
      path: ({ theirs }) => ({ id: theirs.id }),
      status: 404,
      code: 'not_found',
      check: async (_answer, { theirs }, world) =>
        expect((await world.call({ token: theirs.secret }, 'GET /me')).status).toBe(200),
    },
    {
      claim: 'for the platform’s owner as well',
      as: 'platform',
      path: ({ theirs }) => ({ id: theirs.id }),
      status: 404,
      code: 'not_found',
    },
    { claim: 'an invented one', as: 'owner', path: { id: 'nothing' }, status: 404, code: 'not_found' },
    {
      claim: 'an id no session can have',
      as: 'owner',
      path: { id: 'x'.repeat(65) },
      status: 404,
      code: 'not_found',
    },
    { claim: 'a key', as: 'key:', path: ({ mine }) => ({ id: mine.id }), status: 403, code: 'requires_sign_in' },
    {
      claim: 'a sign-in that may only look',
      as: ({ narrow }) => narrow,
      path: ({ mine }) => ({ id: mine.id }),
      status: 403,
      code: 'insufficient_scope',
    },
  ],
)

scenarios(
  'auth.sessions.revoke_all',
  async (world) => {
    const { owner, stranger } = world.people
    const make = (userId: string) => createSession(world.ctx(), { userId, kind: 'token', authMethod: 'x' })
    return {
      asking: await make(owner.userId),
      others: [await make(owner.userId), await make(owner.userId)],
      theirs: await make(stranger.userId),
      narrow: await narrowed(world, ['user:read']),
    }
  },
  [
    {
      claim: 'all but the one that asks, and only one’s own',
      as: ({ asking }) => ({ token: asking.secret }),
      status: 200,
      emits: ['access'],
      audits: ['session.revoked_all'],
      check: async ({ data }, { asking, others, theirs }, world) => {
        expect(data).toEqual({ success: true })
        const statusOf = async (secret: string) => (await world.call({ token: secret }, 'GET /me')).status
        expect(await statusOf(asking.secret)).toBe(200)
        expect(await statusOf(theirs.secret)).toBe(200)
        for (const other of others) expect(await statusOf(other.secret)).toBe(401)
        const listed = await world.call({ token: asking.secret }, 'GET /auth/sessions')
        expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([asking.id])
      },
    },
    { claim: 'a key', as: 'key:', status: 403, code: 'requires_sign_in' },
    { claim: 'a sign-in that may only look', as: ({ narrow }) => narrow, status: 403, code: 'insufficient_scope' },
    {
      claim: 'a broken body',
      as: ({ asking }) => ({ token: asking.secret }),
      body: '[',
      status: 400,
      code: 'invalid_request',
    },
  ],
)

scenarios(
  'auth.sessions.token',
  async (world) => ({ narrow: await narrowed(world, ['apps', 'files:read']) }),
  [
    {
      claim: 'a quarter of an hour when nothing is asked for',
      as: 'owner',
      status: 200,
      audits: ['session.created'],
      check: ({ data, headers }, _given, { clock }) => {
        expect(data).toEqual({
          token: expect.stringMatching(/^sess_[\w-]{43}$/),
          expires_at: wireTime(new Date(clock.now().getTime() + 900_000)),
        })
        expect(headers['cache-control']).toBe('no-store')
      },
    },
    {
      claim: 'a browser makes one that acts as its person, in the same workspace',
      as: 'browser:admin',
      body: { expires_in: 60 },
      status: 200,
      audits: ['session.created'],
      check: async ({ data }, _given, world) => {
        const me = await world.call({ token: data.token }, 'GET /me')
        expect(me.data).toMatchObject({ user: { id: world.people.admin.userId }, team: { id: world.team.id } })
      },
    },
    {
      claim: 'narrowed',
      as: 'owner',
      body: { scopes: ['apps:read', 'apps:read'] },
      status: 200,
      audits: ['session.created'],
      check: async ({ data }, _given, world) => {
        expect(data.scopes).toEqual(['apps:read'])
        const listed = await world.call({ token: data.token }, 'GET /auth/sessions')
        expect({ status: listed.status, code: listed.code }).toEqual({ status: 403, code: 'insufficient_scope' })
      },
    },
    {
      claim: 'a narrowed sign-in passes on what it has',
      as: ({ narrow }) => narrow,
      status: 200,
      audits: ['session.created'],
      check: ({ data }) => expect(data.scopes).toEqual(['apps', 'files:read']),
    },
    {
      claim: 'or less',
      as: ({ narrow }) => narrow,
      body: { scopes: ['apps:read'] },
      status: 200,
      audits: ['session.created'],
    },
    {
      claim: 'never more',
      as: ({ narrow }) => narrow,
      body: { scopes: ['files:write'] },
      status: 403,
      code: 'insufficient_scope',
    },
    {
      claim: 'nor everything',
      as: ({ narrow }) => narrow,
      body: { scopes: ['*'] },
      status: 403,
      code: 'insufficient_scope',
    },
    { claim: 'an unknown scope', as: 'owner', body: { scopes: ['apps:fly'] }, status: 400, code: 'validation_error' },
    {
      claim: 'an empty list would say nothing',
      as: 'owner',
      body: { scopes: [] },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'more than a day', as: 'owner', body: { expires_in: 86_401 }, status: 400, code: 'validation_error' },
    { claim: 'no time at all', as: 'owner', body: { expires_in: 0 }, status: 400, code: 'validation_error' },
    { claim: 'a key', as: 'key:', status: 403, code: 'requires_sign_in' },
  ],
  ownWorld,
)

describe('sessions', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  const statusOf = async (token: string) => (await world.call({ token }, 'GET /me')).status
  const sessionOf = (session: object) =>
    createSession(world.ctx(), {
      userId: world.people.admin.userId,
      kind: 'token',
      authMethod: 'device-auth',
      ...session,
    })

  it('a token lives no longer than the session it comes from', async () => {
    const parent = await sessionOf({ lifetimeSeconds: 100 })
    const { data } = await world.call({ token: parent.secret }, 'POST /auth/sessions/token', {
      body: { expires_in: 86_400 },
    })
    expect(data.expires_at).toBe(parent.expiresAt)
  })

  it('tokens end with their session, also those made from tokens', async () => {
    const parent = await sessionOf({})
    const child = await world.call({ token: parent.secret }, 'POST /auth/sessions/token')
    const grandchild = await world.call({ token: child.data.token }, 'POST /auth/sessions/token')
    expect(await statusOf(grandchild.data.token)).toBe(200)
    await world.call({ token: parent.secret }, 'POST /auth/logout')
    for (const token of [parent.secret, child.data.token, grandchild.data.token])
      expect(await statusOf(token)).toBe(401)
  })

  it('a token does not inherit platform power', async () => {
    const { data } = await world.call('platform', 'POST /auth/sessions/token')
    expect((await world.call('platform', 'GET /organizations')).status).toBe(200)
    const refused = await world.call({ token: data.token }, 'GET /organizations')
    expect({ status: refused.status, code: refused.code }).toEqual({ status: 403, code: 'admin_session_required' })
  })

  it('shows where and with what a session was opened', async () => {
    await sessionOf({ ip: '8.8.8.8', userAgent: 'millrace-cli/1.2.3 (linux; x64)' })
    await sessionOf({
      ip: '192.168.1.9',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    })
    await sessionOf({ authMethod: 'api_key', scopes: ['apps:read'] })
    const { data } = await world.call('admin', 'GET /auth/sessions')
    expect(data).toContainEqual(
      expect.objectContaining({
        ip: '8.8.8.8',
        country_code: 'US',
        country: 'United States',
        browser: 'millrace-cli',
        browser_version: '1.2.3',
      }),
    )
    expect(data).toContainEqual(
      expect.objectContaining({
        ip: '192.168.1.9',
        country_code: '',
        country: '',
        browser: 'Firefox',
        browser_version: '140.0',
        os: 'Linux',
      }),
    )
    expect(data.filter((one: object) => 'scopes' in one)).toEqual([
      expect.objectContaining({ auth_method: 'api_key', scopes: ['apps:read'] }),
    ])
  })

  it('where and when a member signs in is no business of the workspace’s admins', async () => {
    await sessionOf({ teamId: world.team.id })
    await world.call('admin', 'POST /auth/sessions/revoke-all')
    const rows = await world.open.platform.db
      .selectFrom('audit_log')
      .select('team_id')
      .where('action', 'like', 'session.%')
      .execute()
    const personal = new Set(Object.values(world.people).map(({ personalTeamId }) => personalTeamId))
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.filter(({ team_id }) => !personal.has(team_id))).toEqual([])
  })

  it('an ended session is not listed', async () => {
    const brief = await sessionOf({ lifetimeSeconds: 60 })
    const ids = async () =>
      (await world.call('admin', 'GET /auth/sessions')).data.map(({ id }: { id: string }) => id) as string[]
    expect(await ids()).toContain(brief.id)
    world.clock.advance(60_000)
    expect(await ids()).not.toContain(brief.id)
  })
})
