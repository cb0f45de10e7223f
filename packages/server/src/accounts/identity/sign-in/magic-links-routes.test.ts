// Guarantees: the routes of mailed links and codes answer as specified, do not reveal whether an address has an
// account, and open a session only for a valid proof.
import { expect } from 'vitest'
import { scenarios } from '../../../testing/scenarios.ts'
import type { World } from '../../../testing/world.ts'
import { ban, cookiesOf, type MailedLink, newAddress, otherCode, requestLink } from '../testing/sign-in.ts'
import { linksPerHour } from './magic-links.ts'

type Links = Record<'fresh' | 'known' | 'back' | 'banned' | 'late' | 'lateCode' | 'used', MailedLink>

const jobs = { runJobs: true }
const minuteMs = 60_000

const sendTimes = async (world: World, email: string, times: number): Promise<string> => {
  for (let sent = 0; sent < times; sent += 1) await world.call(null, 'POST /auth/magic-link/send', { body: { email } })
  return email
}

scenarios(
  'auth.link.send',
  async (world) => ({
    known: world.people.owner.email,
    full: await sendTimes(world, newAddress(), linksPerHour),
    knownFull: await sendTimes(world, world.people.stranger.email, linksPerHour),
  }),
  [
    {
      claim: 'an address with an account',
      as: null,
      body: ({ known }: { known: string }) => ({ email: known }),
      status: 200,
      check: ({ json }) => expect(json).toEqual({ success: true, data: { sent: true }, messages: [] }),
    },
    {
      claim: 'an address without one: the same answer',
      as: null,
      body: { email: 'nobody@mill.example' },
      status: 200,
      check: ({ json }) => expect(json).toEqual({ success: true, data: { sent: true }, messages: [] }),
    },
    { claim: 'spelled with blanks and capitals', as: null, body: { email: '  Nobody@Mill.Example ' }, status: 200 },
    {
      claim: 'a redirect into the app',
      as: null,
      body: { email: 'nobody@mill.example', redirect_to: '/device?code=X' },
      status: 200,
    },
    {
      claim: 'a redirect to nowhere in particular',
      as: null,
      body: { email: 'other@mill.example', redirect_to: null },
      status: 200,
    },
    {
      claim: 'a credential that does not count here is not looked at',
      as: { token: 'nonsense' },
      body: { email: 'other@mill.example' },
      status: 200,
    },
    { claim: 'no address', as: null, body: {}, status: 400, code: 'validation_error' },
    { claim: 'not an address', as: null, body: { email: 'nobody' }, status: 400, code: 'invalid_email' },
    {
      claim: 'two addresses',
      as: null,
      body: { email: 'a@b.example,c@d.example' },
      status: 400,
      code: 'invalid_email',
    },
    {
      claim: 'a throw-away domain',
      as: null,
      body: { email: 'someone@mailinator.com' },
      status: 400,
      code: 'disposable_email',
    },
    {
      claim: 'a redirect to a foreign page',
      as: null,
      body: { email: 'x@mill.example', redirect_to: 'https://elsewhere.example/' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'the sixth within the hour',
      as: null,
      body: ({ full }: { full: string }) => ({ email: full }),
      status: 429,
      code: 'rate_limited',
      check: ({ headers }) => expect(headers['retry-after']).toBe('3600'),
    },
    {
      claim: 'the sixth within the hour for an account: the same',
      as: null,
      body: ({ knownFull }: { knownFull: string }) => ({ email: knownFull }),
      status: 429,
      code: 'rate_limited',
      check: ({ headers }) => expect(headers['retry-after']).toBe('3600'),
    },
  ],
)

scenarios(
  'auth.link.verify',
  async (world) => {
    const banned = await requestLink(world)
    await world.call(null, 'POST /auth/magic-link/verify', { body: { token: banned.token } })
    await ban(world, banned.email)
    const late = await requestLink(world)
    world.clock.advance(15 * minuteMs)
    const lateCode = await requestLink(world)
    world.clock.advance(10 * minuteMs)
    const used = await requestLink(world)
    await world.call(null, 'POST /auth/magic-link/verify', { body: { token: used.token } })
    return {
      fresh: await requestLink(world),
      known: await requestLink(world, world.people.member.email),
      back: await requestLink(world, newAddress(), { redirect_to: '/docs' }),
      banned: await requestLink(world, banned.email),
      late,
      lateCode,
      used,
    }
  },
  [
    {
      claim: 'a new person signs in with the link',
      as: null,
      body: ({ fresh }: Links) => ({ token: fresh.token }),
      status: 200,
      audits: ['user.created', 'session.created'],
      check: (answer, { fresh }) => {
        const { user, ...rest } = answer.data
        expect(rest).toEqual({ session_id: expect.stringMatching(/^[0-9a-z]{26}$/), is_new: true })
        expect(user).toMatchObject({ email: fresh.email, role: 'user', totp_enabled: false })
        expect(answer.headers['cache-control']).toBe('no-store')
        expect([answer.headers['set-cookie']].flat()).toEqual([
          expect.stringMatching(/^session=[\w-]{43}; Path=\/; Max-Age=2592000; SameSite=Lax; HttpOnly$/),
          expect.stringMatching(/^csrf=[\w-]{43}; Path=\/; Max-Age=2592000; SameSite=Lax$/),
        ])
      },
    },
    {
      claim: 'a known person',
      as: null,
      body: ({ known }: Links) => ({ token: known.token }),
      status: 200,
      audits: ['session.created'],
      check: ({ data }, _given, world) =>
        expect(data).toMatchObject({ is_new: false, user: { id: world.people.member.userId } }),
    },
    {
      claim: 'with address and code',
      as: null,
      body: ({ fresh }: Links) => ({ email: fresh.email, code: fresh.code }),
      status: 200,
      audits: ['user.created', 'session.created'],
      check: ({ data }, { fresh }) => expect(data.user.email).toBe(fresh.email),
    },
    {
      claim: 'as people type them',
      as: null,
      body: ({ fresh }: Links) => ({
        email: ` ${fresh.email.toUpperCase()}`,
        code: `${fresh.code.slice(0, 3)} ${fresh.code.slice(3)}`,
      }),
      status: 200,
      audits: ['user.created', 'session.created'],
    },
    {
      claim: 'and where it was asked from',
      as: null,
      body: ({ back }: Links) => ({ token: back.token }),
      status: 200,
      audits: ['user.created', 'session.created'],
      check: ({ data }, _given, world) => expect(data.redirect_to).toBe(`${world.open.platform.settings.APP_URL}/docs`),
    },
    { claim: 'neither token nor code', as: null, body: {}, status: 400, code: 'validation_error' },
    { claim: 'a code without an address', as: null, body: { code: '123456' }, status: 400, code: 'validation_error' },
    { claim: 'an invented token', as: null, body: { token: 'x'.repeat(43) }, status: 400, code: 'invalid_token' },
    {
      claim: 'a link that was used',
      as: null,
      body: ({ used }: Links) => ({ token: used.token }),
      status: 400,
      code: 'invalid_token',
    },
    {
      claim: 'the code of a link that was used',
      as: null,
      body: ({ used }: Links) => ({ email: used.email, code: used.code }),
      status: 400,
      code: 'invalid_code',
    },
    {
      claim: 'a link after 15 minutes',
      as: null,
      body: ({ late }: Links) => ({ token: late.token }),
      status: 400,
      code: 'invalid_token',
    },
    {
      claim: 'a code after 10 minutes',
      as: null,
      body: ({ lateCode }: Links) => ({ email: lateCode.email, code: lateCode.code }),
      status: 400,
      code: 'invalid_code',
    },
    {
      claim: 'its link still counts then',
      as: null,
      body: ({ lateCode }: Links) => ({ token: lateCode.token }),
      status: 200,
      audits: ['user.created', 'session.created'],
    },
    {
      claim: 'a wrong code',
      as: null,
      body: ({ fresh }: Links) => ({ email: fresh.email, code: otherCode(fresh.code) }),
      status: 400,
      code: 'invalid_code',
    },
    {
      claim: 'the code of another address',
      as: null,
      body: ({ fresh, known }: Links) => ({ email: known.email, code: fresh.code === known.code ? 'x' : fresh.code }),
      status: 400,
      code: 'invalid_code',
    },
    {
      claim: 'a suspended account',
      as: null,
      body: ({ banned }: Links) => ({ token: banned.token }),
      status: 403,
      code: 'forbidden',
      check: (answer) => expect(cookiesOf(answer)).toEqual({}),
    },
  ],
  jobs,
)
