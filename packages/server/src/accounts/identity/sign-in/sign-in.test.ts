// Guarantees: the second step of a sign-in, signing out, and reading the own profile answer as specified.
import { expect } from 'vitest'
import { scenarios } from '../../../testing/scenarios.ts'
import type { World } from '../../../testing/world.ts'
import { ban, cookiesOf, requestLink, setUpAuthenticator, shownCode, signInBrowser } from '../testing/sign-in.ts'
import { totpTriesPerHour } from '../totp/totp-codes.ts'

type Guarded = { email: string; secret: string; challenge: string }
type Challenges = { world: World } & Record<'late' | 'banned' | 'tired' | 'ready', Guarded>

const jobs = { runJobs: true }
const minuteMs = 60_000

const challengeFor = async (world: World, email: string): Promise<string> => {
  const { token } = await requestLink(world, email)
  const { data } = await world.call(null, 'POST /auth/magic-link/verify', { body: { token } })
  expect(data).toEqual({ session_id: '', otp_required: true, otp_method: 'totp', challenge_token: expect.any(String) })
  return data.challenge_token
}

scenarios(
  'auth.otp.verify',
  async (world) => {
    const guardedPerson = async () => {
      const { email, headers } = await signInBrowser(world)
      const { data } = await world.call(null, 'POST /auth/sessions/token', { headers })
      const secret = await setUpAuthenticator(world, { token: data.token })
      return { email, secret, challenge: await challengeFor(world, email) }
    }
    const late = await guardedPerson()
    world.clock.advance(10 * minuteMs)
    const banned = await guardedPerson()
    await ban(world, banned.email)
    const tired = await guardedPerson()
    await world.open.platform.db
      .updateTable('users')
      .set({ totp_tries: totpTriesPerHour, totp_tries_since: world.clock.now().toISOString() })
      .where('email', '=', tired.email)
      .execute()
    const ready = await guardedPerson()
    return { world, late, banned, tired, ready }
  },
  [
    {
      claim: 'the code that the authenticator shows',
      as: null,
      body: ({ world, ready }: Challenges) => ({
        challenge_token: ready.challenge,
        code: shownCode(world, ready.secret),
      }),
      status: 200,
      audits: ['session.created'],
      check: (answer, { ready }) => {
        expect(answer.data).toMatchObject({
          user: { email: ready.email, totp_enabled: true },
          is_new: false,
          session_id: expect.any(String),
        })
        expect(Object.keys(cookiesOf(answer))).toEqual(['session', 'csrf'])
      },
    },
    {
      claim: 'a wrong code',
      as: null,
      body: ({ ready }: Challenges) => ({ challenge_token: ready.challenge, code: 'abcdef' }),
      status: 400,
      code: 'invalid_code',
      check: (answer) => expect(cookiesOf(answer)).toEqual({}),
    },
    {
      claim: 'no code',
      as: null,
      body: ({ ready }: Challenges) => ({ challenge_token: ready.challenge }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an invented challenge',
      as: null,
      body: { challenge_token: 'x', code: '123456' },
      status: 400,
      code: 'invalid_token',
    },
    {
      claim: 'a challenge after 10 minutes',
      as: null,
      body: ({ world, late }: Challenges) => ({ challenge_token: late.challenge, code: shownCode(world, late.secret) }),
      status: 400,
      code: 'invalid_token',
    },
    {
      claim: 'an account suspended meanwhile',
      as: null,
      body: ({ world, banned }: Challenges) => ({
        challenge_token: banned.challenge,
        code: shownCode(world, banned.secret),
      }),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'too many tries, whatever the challenge',
      as: null,
      body: ({ world, tired }: Challenges) => ({
        challenge_token: tired.challenge,
        code: shownCode(world, tired.secret),
      }),
      status: 429,
      code: 'rate_limited',
      check: ({ headers }) => expect(headers['retry-after']).toMatch(/^\d+$/),
    },
  ],
  jobs,
)

scenarios(
  'auth.logout',
  async (world) => ({ browser: await signInBrowser(world), world }),
  [
    {
      claim: 'a browser is signed out and loses its cookies',
      as: null,
      headers: ({ browser }) => browser.headers,
      status: 200,
      emits: ['access'],
      audits: ['session.revoked'],
      check: async (answer, { browser }, world) => {
        expect(answer.data).toEqual({ success: true })
        expect(cookiesOf(answer)).toEqual({ session: '', csrf: '' })
        expect((await world.call(null, 'GET /me', { headers: browser.headers })).status).toBe(401)
      },
    },
    {
      claim: 'without a session there is nothing to end',
      as: null,
      status: 200,
      check: ({ data }) => expect(data).toEqual({ success: true }),
    },
    {
      claim: 'a session token ends itself',
      as: 'member',
      status: 200,
      audits: ['session.revoked'],
      emits: ['access'],
      check: async (_answer, _given, world) => expect((await world.call('member', 'GET /me')).status).toBe(401),
    },
    {
      claim: 'a key is not a sign-in and stays',
      as: 'key:',
      status: 200,
      check: async (_answer, _given, world) => expect((await world.call('key:', 'GET /me')).status).toBe(200),
    },
    {
      claim: 'a foreign page signs nobody out',
      as: null,
      headers: ({ browser }) => ({ ...browser.headers, origin: 'https://elsewhere.example' }),
      status: 200,
      check: async (_answer, { browser }, world) =>
        expect((await world.call(null, 'GET /me', { headers: browser.headers })).status).toBe(200),
    },
    { claim: 'a broken body', as: null, body: '{', status: 400, code: 'invalid_request' },
  ],
  jobs,
)

scenarios('auth.me', () => null, [
  {
    claim: 'a sign-in gets the same response as on the other route',
    as: 'admin',
    status: 200,
    check: async ({ data }, _given, world) => expect(data).toEqual((await world.call('admin', 'GET /me')).data),
  },
  { claim: 'a browser’s sign-in too', as: 'browser:member', status: 200 },
  { claim: 'a key is not signed in', as: 'key:', status: 403, code: 'requires_sign_in' },
  { claim: 'nor is a workspace’s key', as: 'workspace-key:', status: 403, code: 'requires_sign_in' },
])

scenarios('me.get', () => null, [
  {
    claim: 'a person in a workspace',
    as: 'admin',
    status: 200,
    check: ({ data }, _given, { people, team }) =>
      expect(data).toEqual({
        user: expect.objectContaining({
          id: people.admin.userId,
          email: people.admin.email,
          role: 'user',
          default_team_id: people.admin.personalTeamId,
          totp_enabled: false,
        }),
        team: expect.objectContaining({ id: team.id, username: team.username, type: 'team', role: 'admin' }),
        team_view: {
          team_id: team.id,
          kind: 'team',
          governance: { billing: { by: 'team', team_id: team.id }, policy: { by: 'team', team_id: team.id } },
          can: expect.arrayContaining(['create_keys', 'manage_keys', 'manage_members']),
        },
      }),
  },
  {
    claim: 'the first account is the platform’s',
    as: 'platform',
    status: 200,
    check: ({ data }) => expect(data.user.role).toBe('admin'),
  },
  {
    claim: 'a key needs no scope for it',
    as: 'member-key:apps:read',
    status: 200,
    check: ({ data }, _given, { people }) =>
      expect(data).toMatchObject({ user: { id: people.member.userId }, team: { role: 'member' } }),
  },
  {
    claim: 'a workspace key is the service account',
    as: 'workspace-key:',
    status: 200,
    check: ({ data }, _given, { team }) => {
      expect(data).toMatchObject({ user: { email: '', role: 'system' }, team: { id: team.id } })
      expect(data.team).not.toHaveProperty('role')
      expect(data.team_view.can).not.toContain('create_keys')
    },
  },
  { claim: 'somebody else’s workspace', as: 'stranger', team: 'mill', status: 403, code: 'forbidden' },
  { claim: 'an invented token', as: { token: `sess_${'x'.repeat(43)}` }, status: 401, code: 'unauthorized' },
])

scenarios(
  'dev.mail',
  (world) => requestLink(world, 'dev@mill.example'),
  [
    {
      claim: 'in development mode the printed mail is shown, newest first',
      as: null,
      status: 200,
      check: ({ data }, { text }) =>
        expect(data[0]).toEqual({
          to: 'dev@mill.example',
          subject: 'Sign in to Millrace',
          text,
          sent_at: expect.any(String),
        }),
    },
  ],
  { runJobs: true, settings: { DEVELOPMENT: 'true' } },
)

scenarios('dev.mail', () => null, [
  { claim: 'otherwise there is no such route', as: null, status: 404, code: 'not_found' },
  { claim: 'not for the platform’s owner either', as: 'platform', status: 404, code: 'not_found' },
])
