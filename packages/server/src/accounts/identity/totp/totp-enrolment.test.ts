// Guarantees: only its owner sets up and removes an authenticator; each code works once; tries are limited; staff have
// platform rights only in a session that used the authenticator.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../../testing/scenarios.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { createSession, issueSignInLink } from '../service.ts'
import { browserHeaders, cookiesOf, setUpAuthenticator, shownCode, signInBrowser } from '../testing/sign-in.ts'
import { totpTriesPerHour } from './totp-codes.ts'

const forget = (world: World, userId: string) =>
  world.open.platform.db
    .updateTable('users')
    .set({ totp_secret_sealed: null, totp_confirmed_at: null, totp_last_step: 0, totp_tries: 0 })
    .where('id', '=', userId)
    .execute()

const tire = (world: World, userId: string) =>
  world.open.platform.db
    .updateTable('users')
    .set({ totp_tries: totpTriesPerHour, totp_tries_since: world.clock.now().toISOString() })
    .where('id', '=', userId)
    .execute()

const readOnly = async (world: World) => {
  const { secret } = await createSession(world.ctx(), {
    userId: world.people.admin.userId,
    kind: 'token',
    authMethod: 'device-auth',
    scopes: ['user:read'],
  })
  return { token: secret }
}

scenarios(
  'auth.totp.enroll',
  async (world) => {
    await forget(world, world.people.owner.userId)
    await forget(world, world.people.member.userId)
    await setUpAuthenticator(world, 'member')
    return { narrow: await readOnly(world) }
  },
  [
    {
      claim: 'a secret to type and to scan, not yet in force',
      as: 'owner',
      status: 200,
      check: async ({ data, headers }, _given, world) => {
        expect(data.secret).toMatch(/^[A-Z2-7]{32}$/)
        expect(data.otpauth_uri).toMatch(/^otpauth:\/\/totp\/Millrace:owner%40example\.com\?secret=/)
        expect(data.otpauth_uri).toContain(data.secret)
        expect(headers['cache-control']).toBe('no-store')
        expect((await world.call('owner', 'GET /me')).data.user.totp_enabled).toBe(false)
        const rows = await world.open.platform.db.selectFrom('users').select('totp_secret_sealed').execute()
        expect(rows.some(({ totp_secret_sealed }) => totp_secret_sealed?.includes(data.secret))).toBe(false)
      },
    },
    { claim: 'while one is in force', as: 'member', status: 409, code: 'conflict' },
    { claim: 'nobody', as: null, status: 401, code: 'unauthorized' },
    { claim: 'a key', as: 'key:', status: 403, code: 'requires_sign_in' },
    { claim: 'a sign-in that may only look', as: ({ narrow }) => narrow, status: 403, code: 'insufficient_scope' },
    { claim: 'a broken body', as: 'owner', body: '{', status: 400, code: 'invalid_request' },
  ],
)

type Enrolled = { code: string; narrow: { token: string } }

scenarios(
  'auth.totp.confirm',
  async (world): Promise<Enrolled> => {
    for (const name of ['owner', 'admin', 'member', 'stranger'] as const) await forget(world, world.people[name].userId)
    await setUpAuthenticator(world, 'member')
    await tire(world, world.people.stranger.userId)
    const { data } = await world.call('owner', 'POST /auth/totp/enroll')
    return { code: shownCode(world, data.secret), narrow: await readOnly(world) }
  },
  [
    {
      claim: 'active after confirmation',
      as: 'owner',
      body: ({ code }: Enrolled) => ({ code }),
      status: 200,
      emits: ['access', 'team/users'],
      audits: ['user.totp_enabled'],
      check: async ({ data }, _given, world) => {
        expect(data).toEqual({ success: true, recovery_codes: expect.any(Array) })
        expect(new Set(data.recovery_codes).size).toBe(10)
        const rows = await world.open.platform.db.selectFrom('users').select('recovery_codes').execute()
        expect(JSON.stringify(rows)).not.toContain(data.recovery_codes[0])
        expect((await world.call('owner', 'GET /me')).data.user.totp_enabled).toBe(true)
      },
    },
    { claim: 'a wrong code', as: 'owner', body: { code: 'abcdef' }, status: 400, code: 'invalid_code' },
    { claim: 'no code', as: 'owner', body: {}, status: 400, code: 'validation_error' },
    { claim: 'nothing to confirm', as: 'admin', body: { code: '123456' }, status: 404, code: 'not_found' },
    { claim: 'confirmed before', as: 'member', body: { code: '123456' }, status: 409, code: 'conflict' },
    { claim: 'too many tries', as: 'stranger', body: { code: '123456' }, status: 429, code: 'rate_limited' },
    { claim: 'nobody', as: null, body: { code: '123456' }, status: 401, code: 'unauthorized' },
    { claim: 'a key', as: 'key:', body: { code: '123456' }, status: 403, code: 'requires_sign_in' },
    {
      claim: 'a sign-in that may only look',
      as: ({ narrow }) => narrow,
      body: { code: '123456' },
      status: 403,
      code: 'insufficient_scope',
    },
  ],
)

scenarios(
  'auth.totp.remove',
  async (world): Promise<Enrolled> => {
    for (const name of ['owner', 'admin', 'stranger'] as const) await forget(world, world.people[name].userId)
    await tire(world, world.people.stranger.userId)
    const secret = await setUpAuthenticator(world, 'owner')
    return { code: shownCode(world, secret), narrow: await readOnly(world) }
  },
  [
    {
      claim: 'with a code of its own',
      as: 'owner',
      body: ({ code }: Enrolled) => ({ code }),
      status: 200,
      emits: ['access', 'team/users'],
      audits: ['user.totp_disabled'],
      check: async ({ data }, _given, world) => {
        expect(data).toEqual({ success: true })
        expect((await world.call('owner', 'GET /me')).data.user.totp_enabled).toBe(false)
      },
    },
    { claim: 'a wrong code', as: 'owner', body: { code: 'abcdef' }, status: 400, code: 'invalid_code' },
    { claim: 'no code', as: 'owner', body: {}, status: 400, code: 'validation_error' },
    { claim: 'nothing to take off', as: 'admin', body: { code: '123456' }, status: 404, code: 'not_found' },
    { claim: 'too many tries', as: 'stranger', body: { code: '123456' }, status: 429, code: 'rate_limited' },
    { claim: 'nobody', as: null, body: { code: '123456' }, status: 401, code: 'unauthorized' },
    { claim: 'a key', as: 'key:', body: { code: '123456' }, status: 403, code: 'requires_sign_in' },
    {
      claim: 'a sign-in that may only look',
      as: ({ narrow }) => narrow,
      body: { code: '123456' },
      status: 403,
      code: 'insufficient_scope',
    },
  ],
)

scenarios(
  'auth.totp.recovery_codes',
  async (world): Promise<Enrolled> => {
    for (const name of ['owner', 'admin', 'stranger'] as const) await forget(world, world.people[name].userId)
    await tire(world, world.people.stranger.userId)
    const secret = await setUpAuthenticator(world, 'owner')
    return { code: shownCode(world, secret), narrow: await readOnly(world) }
  },
  [
    {
      claim: 'ten new ones for a code of the authenticator',
      as: 'owner',
      body: ({ code }: Enrolled) => ({ code }),
      status: 200,
      audits: ['user.recovery_codes_renewed'],
      check: ({ data, headers }) => {
        expect(data.recovery_codes).toHaveLength(10)
        expect(data.recovery_codes[0]).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
        expect(headers['cache-control']).toBe('no-store')
      },
    },
    { claim: 'a wrong code', as: 'owner', body: { code: 'abcdef' }, status: 400, code: 'invalid_code' },
    { claim: 'no code', as: 'owner', body: {}, status: 400, code: 'validation_error' },
    { claim: 'no authenticator', as: 'admin', body: { code: '123456' }, status: 404, code: 'not_found' },
    { claim: 'too many tries', as: 'stranger', body: { code: '123456' }, status: 429, code: 'rate_limited' },
    { claim: 'nobody', as: null, body: { code: '123456' }, status: 401, code: 'unauthorized' },
    { claim: 'a key', as: 'key:', body: { code: '123456' }, status: 403, code: 'requires_sign_in' },
    {
      claim: 'a sign-in that may only look',
      as: ({ narrow }) => narrow,
      body: { code: '123456' },
      status: 403,
      code: 'insufficient_scope',
    },
  ],
)

describe('authenticator codes', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ runJobs: true })
  })
  afterAll(() => world?.close())

  const outcome = ({ status, code }: { status: number; code: string | undefined }) =>
    code ? `${status} ${code}` : `${status}`

  const guarded = async () => {
    const browser = await signInBrowser(world)
    const { data } = await world.call(null, 'POST /auth/sessions/token', { headers: browser.headers })
    return { ...browser, token: data.token as string, secret: await setUpAuthenticator(world, { token: data.token }) }
  }
  const challenge = async (email: string): Promise<string> => {
    const link = new URL(await issueSignInLink(world.ctx(), email))
    const body = { token: link.searchParams.get('token') }
    return (await world.call(null, 'POST /auth/magic-link/verify', { body })).data.challenge_token
  }
  const verify = (challenge_token: string, code: string, headers = {}) =>
    world.call(null, 'POST /auth/otp/verify', { body: { challenge_token, code }, headers })

  it('a recovery code replaces one code of the authenticator, once, and only for its person', async () => {
    const { email, token, secret } = await guarded()
    const { data } = await world.call({ token }, 'POST /auth/totp/recovery-codes', {
      body: { code: shownCode(world, secret) },
    })
    const [first = '', second = ''] = data.recovery_codes as string[]
    const other = await guarded()
    expect(outcome(await verify(await challenge(other.email), first))).toBe('400 invalid_code')
    expect(outcome(await verify(await challenge(email), first.toUpperCase().replaceAll('-', ' ')))).toBe('200')
    expect(outcome(await verify(await challenge(email), first))).toBe('400 invalid_code')
    const removed = await world.call({ token }, 'DELETE /auth/totp', { body: { code: second } })
    expect(removed.status).toBe(200)
  })

  it('a code seen over a shoulder does not work a second time', async () => {
    const { email, secret } = await guarded()
    const code = shownCode(world, secret)
    const [first, second] = [await challenge(email), await challenge(email)]
    expect(outcome(await verify(first, code))).toBe('200')
    expect(outcome(await verify(second, code))).toBe('400 invalid_code')
  })

  it('of twenty at once with the same code, one comes through', async () => {
    const { email, secret } = await guarded()
    const code = shownCode(world, secret)
    const challenges = await Promise.all(Array.from({ length: 4 }, () => challenge(email)))
    const answers = await Promise.all(challenges.flatMap((one) => Array.from({ length: 5 }, () => verify(one, code))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('a challenge allows five tries, and an Idempotency-Key does not take them back', async () => {
    const { email, secret } = await guarded()
    const token = await challenge(email)
    for (let tries = 0; tries < 5; tries += 1)
      expect(outcome(await verify(token, 'abcdef', { 'idempotency-key': `k${tries}` }))).toBe('400 invalid_code')
    expect(outcome(await verify(token, shownCode(world, secret)))).toBe('400 invalid_token')
  })

  it('an hour allows twenty tries over all challenges, and a right code starts anew', async () => {
    const { email, secret } = await guarded()
    const fiveWrong = async (): Promise<string[]> => {
      const token = await challenge(email)
      const seen: string[] = []
      for (let tries = 0; tries < 5; tries += 1) seen.push(outcome(await verify(token, 'abcdef')))
      return seen
    }
    await fiveWrong()
    expect(outcome(await verify(await challenge(email), shownCode(world, secret)))).toBe('200')
    for (let round = 0; round < totpTriesPerHour / 5; round += 1)
      expect(await fiveWrong()).toEqual(Array(5).fill('400 invalid_code'))
    expect(await fiveWrong()).toEqual(Array(5).fill('429 rate_limited'))
    world.clock.advance(3_600_000)
    expect(await fiveWrong()).toEqual(Array(5).fill('400 invalid_code'))
  })

  describe('platform power', () => {
    const ask = async (as: Parameters<World['call']>[0], headers = {}) =>
      outcome(await world.call(as, 'GET /organizations', { headers }))

    it('follows the authenticator through a staff browser’s life', async () => {
      const email = world.people.platform.email
      const before = await signInBrowser(world, email)
      expect(await ask(null, before.headers)).toBe('403 admin_authenticator_required')

      const other = await signInBrowser(world, email)
      const { data } = await world.call(null, 'POST /auth/totp/enroll', { headers: before.headers })
      const code = shownCode(world, data.secret)
      await world.call(null, 'POST /auth/totp/confirm', { headers: before.headers, body: { code } })
      // Only the browser that used the authenticator has platform rights, not another browser of the same person.
      expect(await ask(null, before.headers)).toBe('200')
      expect(await ask(null, other.headers)).toBe('403 otp_required')

      world.clock.advance(30_000)
      const answer = await verify(await challenge(email), shownCode(world, data.secret))
      const after = browserHeaders(world, cookiesOf(answer))
      expect(await ask(null, after)).toBe('200')

      world.clock.advance(30_000)
      const off = { headers: after, body: { code: shownCode(world, data.secret) } }
      expect((await world.call(null, 'DELETE /auth/totp', off)).status).toBe(200)
      expect(await ask(null, after)).toBe('403 admin_authenticator_required')
      expect(await ask(null, before.headers)).toBe('403 admin_authenticator_required')
    })

    it('a token session of staff is refused in favour of an administrator session', async () => {
      const { userId } = world.people.platform
      const plain = await createSession(world.ctx(), { userId, kind: 'token', authMethod: 'device-auth' })
      expect(await ask({ token: plain.secret })).toBe('403 admin_session_required')
      expect(await ask('platform')).toBe('200')
    })

    it('a person who is not staff gains nothing from an authenticator', async () => {
      const { email, secret } = await guarded()
      const answer = await verify(await challenge(email), shownCode(world, secret))
      expect(await ask(null, browserHeaders(world, cookiesOf(answer)))).toBe('403 forbidden')
    })
  })
})
