// Guarantees: single sign-on through a real OpenID provider signs in people whose address the provider has verified,
// follows the rules for new accounts, is bound to the browser that started it, and reports failures of the provider.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashToken } from '#platform/core/tokens.ts'
import { scenarios } from '../../../testing/scenarios.ts'
import { useUpRate } from '../../../testing/use-up-rate.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { type IssuerRedirect, signInAtIssuer, startIssuer } from '../testing/issuer.ts'
import { ban, browserHeaders, cookiesOf, newAddress, setUpAuthenticator, signInBrowser } from '../testing/sign-in.ts'
import { oidcStartsPerMinute } from './oidc.ts'

const issuer = await startIssuer()
const plainIssuer = await startIssuer({ claimsInIdToken: true })
afterAll(() => Promise.all([issuer.close(), plainIssuer.close()]))

const app = 'http://127.0.0.1:7700'
const nobodyListens = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'x' }
const verified = (email: string) => ({ sub: email, email, email_verified: true })

scenarios(
  'auth.oidc.start',
  () => null,
  [
    {
      claim: 'a browser is sent to the issuer with state, nonce and challenge, and remembers the state',
      as: null,
      status: 302,
      check: (answer) => {
        const target = new URL(String(answer.headers.location))
        expect(target.origin).toBe(issuer.settings.OIDC_ISSUER)
        expect(Object.fromEntries(target.searchParams)).toMatchObject({
          client_id: 'millrace',
          response_type: 'code',
          redirect_uri: `${app}/auth/oidc/callback`,
          scope: 'openid email profile',
          code_challenge_method: 'S256',
          code_challenge: expect.any(String),
          nonce: expect.any(String),
          state: cookiesOf(answer).oidc_state,
        })
        expect(String(answer.headers['set-cookie'])).toContain('HttpOnly')
      },
    },
    {
      claim: 'a redirect to a foreign page',
      as: null,
      query: { redirect_to: 'https://elsewhere.example' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a scanner begins nothing',
      as: null,
      route: 'HEAD /auth/oidc/start',
      status: 405,
      code: 'method_not_allowed',
    },
  ],
  { settings: issuer.settings },
)

scenarios(
  'auth.oidc.start',
  (world) => useUpRate(world, 'oidc', oidcStartsPerMinute),
  [
    {
      claim: 'a network that has begun hundreds in this minute, and no more rows are kept for it',
      as: null,
      status: 429,
      code: 'rate_limited',
      check: async (_answer, _given, { open }) =>
        expect(await open.platform.db.selectFrom('oidc_attempts').select('state').execute()).toEqual([]),
    },
  ],
  { settings: issuer.settings },
)

scenarios('auth.oidc.start', () => null, [
  { claim: 'where it is not set up', as: null, status: 404, code: 'not_found' },
])

scenarios(
  'auth.oidc.start',
  () => null,
  [{ claim: 'an issuer that does not answer', as: null, status: 503, code: 'unavailable' }],
  { settings: nobodyListens },
)

scenarios(
  'auth.oidc.callback',
  async (world) => {
    const banned = newAddress()
    await signInBrowser(world, banned)
    await ban(world, banned)
    return {
      fresh: await signInAtIssuer(world, issuer, verified(newAddress())),
      known: await signInAtIssuer(world, issuer, verified(world.people.member.email), '/docs'),
      refused: await signInAtIssuer(world, issuer, null),
      banned: await signInAtIssuer(world, issuer, verified(banned)),
    }
  },
  [
    {
      claim: 'a new person gets an account and a session',
      as: null,
      query: ({ fresh }) => fresh.query,
      headers: ({ fresh }) => ({ cookie: fresh.cookie }),
      status: 302,
      audits: ['user.created', 'session.created'],
      check: (answer) => {
        expect(answer.headers.location).toBe(`${app}/`)
        expect(cookiesOf(answer)).toMatchObject({ session: expect.stringMatching(/./), oidc_state: '' })
      },
    },
    {
      claim: 'the person who left has refused',
      as: null,
      query: ({ refused }) => refused.query,
      headers: ({ refused }) => ({ cookie: refused.cookie }),
      status: 400,
      code: 'invalid_token',
    },
    {
      claim: 'another browser than the one that began it',
      as: null,
      query: ({ fresh }) => fresh.query,
      headers: ({ known }) => ({ cookie: known.cookie }),
      status: 400,
      code: 'invalid_token',
    },
    { claim: 'no browser at all', as: null, query: ({ fresh }) => fresh.query, status: 400, code: 'invalid_token' },
    { claim: 'nothing', as: null, status: 400, code: 'invalid_token' },
    {
      claim: 'a state beyond all measure',
      as: null,
      query: { state: 'x'.repeat(513) },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a suspended account',
      as: null,
      query: ({ banned }) => banned.query,
      headers: ({ banned }) => ({ cookie: banned.cookie }),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'a browser gets the message on the sign-in page',
      as: null,
      query: ({ refused }) => refused.query,
      headers: ({ refused }) => ({ cookie: refused.cookie, accept: 'text/html,*/*' }),
      status: 302,
      check: ({ headers }) => expect(headers.location).toBe(`${app}/sign-in?problem=invalid_token`),
    },
  ],
  { settings: issuer.settings, runJobs: true },
)

const refusedAddresses = [
  ['an address that the issuer has not verified', { email_verified: false }, 'invalid_email'],
  ['an address of which it says nothing', { email_verified: undefined }, 'invalid_email'],
  ['no address', { email: undefined }, 'invalid_email'],
  ['what is no address', { email: 'nobody' }, 'invalid_email'],
  ['a throw-away domain', { email: 'new@mailinator.com' }, 'disposable_email'],
] as const

for (const [claim, change, code] of refusedAddresses)
  scenarios(
    'auth.oidc.callback',
    (world) => signInAtIssuer(world, issuer, { ...verified(newAddress()), ...change }),
    [
      {
        claim,
        as: null,
        query: (returned) => returned.query,
        headers: (returned) => ({ cookie: returned.cookie }),
        status: 400,
        code,
      },
    ],
    { settings: issuer.settings },
  )

scenarios('auth.oidc.callback', () => null, [
  { claim: 'where it is not set up', as: null, query: { state: 'x' }, status: 404, code: 'not_found' },
])

scenarios(
  'auth.oidc.callback',
  async (world): Promise<IssuerRedirect> => {
    const now = world.clock.now()
    await world.open.platform.db
      .insertInto('oidc_attempts')
      .values({
        state: hashToken('s').toString('base64url'),
        nonce: 'n',
        code_verifier: 'v',
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + 60_000).toISOString(),
      })
      .execute()
    return { query: { state: 's', code: 'c' }, cookie: 'oidc_state=s' }
  },
  [
    {
      claim: 'an issuer that does not answer',
      as: null,
      query: ({ query }) => query,
      headers: ({ cookie }) => ({ cookie }),
      status: 503,
      code: 'unavailable',
    },
  ],
  { settings: nobodyListens },
)

describe('a hostile issuer', () => {
  /** Answers the discovery with a JSON document that never ends, or with this text. */
  const hostile = async (text?: string) => {
    let sent = 0
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      if (text !== undefined) return response.end(text)
      const more = (): void => {
        while (!response.destroyed && sent < 64 * 1024 * 1024) {
          sent += 64 * 1024
          if (!response.write('['.padEnd(64 * 1024))) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { address: `http://127.0.0.1:${port}`, server, sent: () => sent }
  }

  it.each([
    ['an endless answer', undefined],
    ['a deeply nested answer', `{"issuer":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['no object', 'null'],
  ])('%s is an error and is not read to its end', async (_case, text) => {
    const { address, server, sent } = await hostile(text)
    const world = await createWorld({ settings: { OIDC_ISSUER: address, OIDC_CLIENT_ID: 'x' } })
    try {
      expect(await world.call(null, 'GET /auth/oidc/start')).toMatchObject({ status: 503, code: 'unavailable' })
      expect(sent()).toBeLessThan(16 * 1024 * 1024)
    } finally {
      server.closeAllConnections()
      server.close()
      await world.close()
    }
  })
})

describe('single sign-on', () => {
  let world: World
  let plain: World
  beforeAll(async () => {
    world = await createWorld({ settings: { ...issuer.settings, ENFORCE_PLUS_ALIAS: 'true' }, runJobs: true })
    plain = await createWorld({ settings: plainIssuer.settings })
  })
  afterAll(() => Promise.all([world?.close(), plain?.close()]))

  const comeBack = ({ query, cookie }: IssuerRedirect, where: World = world) =>
    where.call(null, 'GET /auth/oidc/callback', { query, headers: { cookie } })
  const whoIs = async (answer: Awaited<ReturnType<World['call']>>, where: World = world) =>
    (await where.call(null, 'GET /me', { headers: browserHeaders(where, cookiesOf(answer)) })).data?.user

  it('finds the account of the address and leads back to where it was begun', async () => {
    const { email, userId } = world.people.member
    const answer = await comeBack(await signInAtIssuer(world, issuer, verified(email.toUpperCase()), '/docs'))
    expect([answer.status, answer.headers.location]).toEqual([302, `${app}/docs`])
    expect(await whoIs(answer)).toMatchObject({ id: userId })
    const sessions = await world.call(null, 'GET /auth/sessions', { headers: browserHeaders(world, cookiesOf(answer)) })
    expect(sessions.data.find(({ current }: { current: boolean }) => current).auth_method).toBe('oidc')
  })

  it('finds the account by the subject after its address has changed at the issuer', async () => {
    const [before, after, sub] = [newAddress(), newAddress(), 'subject-1']
    const first = await whoIs(await comeBack(await signInAtIssuer(world, issuer, { ...verified(before), sub })))
    const second = await whoIs(await comeBack(await signInAtIssuer(world, issuer, { ...verified(after), sub })))
    expect(second).toMatchObject({ id: first.id, email: before })
    // An address that the issuer no longer vouches for does not matter: the subject identifies the person.
    const unverified = { sub, email: after, email_verified: false }
    expect(await whoIs(await comeBack(await signInAtIssuer(world, issuer, unverified)))).toMatchObject({ id: first.id })
  })

  it('does not sign in another person to whom the issuer gave the address', async () => {
    const email = newAddress()
    await comeBack(await signInAtIssuer(world, issuer, { ...verified(email), sub: 'subject-2' }))
    const other = await comeBack(await signInAtIssuer(world, issuer, { ...verified(email), sub: 'subject-3' }))
    expect([other.status, other.code]).toEqual([403, 'forbidden'])
    expect(cookiesOf(other)).not.toHaveProperty('session')
  })

  it('does not apply the rule about plus tags', async () => {
    const answer = await comeBack(await signInAtIssuer(world, issuer, verified('new+tag@mill.example')))
    expect(await whoIs(answer)).toMatchObject({ email: 'new+tag@mill.example' })
  })

  it('an account from before the rules signs in from a throw-away domain', async () => {
    const email = 'old@mailinator.com'
    await world.open.platform.db
      .updateTable('users')
      .set({ email })
      .where('id', '=', world.people.admin.userId)
      .execute()
    expect((await comeBack(await signInAtIssuer(world, issuer, verified(email)))).status).toBe(302)
  })

  it('asks for the authenticator all the same', async () => {
    await setUpAuthenticator(world, 'stranger')
    const answer = await comeBack(await signInAtIssuer(world, issuer, verified(world.people.stranger.email)))
    expect(answer.headers.location).toBe(`${app}/sign-in/authenticator`)
    expect(cookiesOf(answer)).not.toHaveProperty('session')
  })

  it('an answer counts once, and not after ten minutes', async () => {
    const returned = await signInAtIssuer(world, issuer, verified(newAddress()))
    expect((await comeBack(returned)).status).toBe(302)
    expect((await comeBack(returned)).code).toBe('invalid_token')
    const late = await signInAtIssuer(world, issuer, verified(newAddress()))
    world.clock.advance(600_000)
    expect((await comeBack(late)).code).toBe('invalid_token')
  })

  it('a code that the issuer did not give is refused', async () => {
    const { query, cookie } = await signInAtIssuer(world, issuer, verified(newAddress()))
    const answer = await comeBack({ query: { ...query, code: 'invented' }, cookie })
    expect([answer.status, answer.code]).toEqual([400, 'invalid_token'])
  })

  it('an identity that is not signed with the key of the issuer is refused', async () => {
    const liar = await startIssuer({ liesAboutKey: true })
    const misled = await createWorld({ settings: liar.settings })
    try {
      const answer = await comeBack(await signInAtIssuer(misled, liar, verified(newAddress())), misled)
      expect([answer.status, answer.code]).toEqual([400, 'invalid_token'])
    } finally {
      await Promise.all([misled.close(), liar.close()])
    }
  })

  it('reads the address from the identity itself where the issuer puts it there, also when it writes "true"', async () => {
    const email = newAddress()
    const person = { sub: email, email, email_verified: 'true' }
    expect(await whoIs(await comeBack(await signInAtIssuer(plain, plainIssuer, person), plain), plain)).toMatchObject({
      email,
    })
  })

  it('the sign-in page offers it', async () => {
    const { text } = await world.call(null, 'GET /sign-in', {
      query: { redirect_to: '/docs' },
      headers: { host: '127.0.0.1:7700' },
    })
    expect(text).toContain('/auth/oidc/start?redirect_to=')
  })
})
