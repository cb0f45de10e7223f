// Guarantees: every route of device sign-in answers as specified, and only to permitted callers.
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { scenarios } from '../../../testing/scenarios.ts'
import type { World } from '../../../testing/world.ts'
import { type Device, pollDevice, startDevice } from './testing/devices.ts'

const challenge = createHash('sha256').update('x'.repeat(43)).digest('base64url')
const minuteMs = 60_000

scenarios('device.start', () => null, [
  {
    claim: 'anyone may ask; the answer says where to go and how to poll',
    as: null,
    body: { token_kind: 'session' },
    status: 200,
    check: ({ data, headers }, _given, world) => {
      const { APP_URL } = world.open.platform.settings
      expect(data).toEqual({
        user_code: expect.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/),
        device_code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        approve_url: `${APP_URL}/device?code=${data.user_code}`,
        poll_url: `${APP_URL}/device/auth/poll/${data.device_code}`,
        expires_in: 300,
        interval: 3,
      })
      expect(headers['cache-control']).toBe('no-store')
    },
  },
  {
    claim: 'without a body it is the legacy kind; of the device code only a hash is stored',
    as: null,
    status: 200,
    check: async ({ data }, _given, { open }) => {
      const rows = await open.platform.db.selectFrom('device_authorizations').selectAll().execute()
      const row = rows.find(({ user_code }) => user_code === data.user_code)
      expect(row).toMatchObject({ token_kind: 'api_key', status: 'pending', user_id: null })
      expect(JSON.stringify(rows)).not.toContain(data.device_code)
    },
  },
  {
    claim: 'a challenge with its method',
    as: null,
    body: { code_challenge: challenge, code_challenge_method: 'S256' },
    status: 200,
  },
  { claim: 'an unknown kind', as: null, body: { token_kind: 'jwt' }, status: 400, code: 'validation_error' },
  {
    claim: 'a challenge without its method',
    as: null,
    body: { code_challenge: challenge },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a method without a challenge',
    as: null,
    body: { code_challenge_method: 'S256' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'the plain method',
    as: null,
    body: { code_challenge: challenge, code_challenge_method: 'plain' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a challenge that no SHA-256 has made',
    as: null,
    body: { code_challenge: 'short', code_challenge_method: 'S256' },
    status: 400,
    code: 'validation_error',
  },
])

const approvedDevice = (world: World) => startDevice(world, { approvedBy: 'browser:owner' })
const codeOf = ({ device_code }: Device) => ({ device_code })

scenarios('device.poll', (world) => startDevice(world), [
  {
    claim: 'pending until somebody answers',
    as: null,
    path: codeOf,
    status: 200,
    check: ({ data, headers }) => {
      expect(data).toEqual({ status: 'pending' })
      expect(headers['cache-control']).toBe('no-store')
    },
  },
  { claim: 'an unknown device code', as: null, path: { device_code: 'nobody' }, status: 404, code: 'not_found' },
  {
    claim: 'the short code is not a device code',
    as: null,
    path: ({ user_code }) => ({ device_code: user_code }),
    status: 404,
    code: 'not_found',
  },
])

scenarios('device.poll', approvedDevice, [
  {
    claim: 'the first poll after approval carries a working session token, every later one says expired',
    as: null,
    path: codeOf,
    status: 200,
    audits: ['session.created', 'device.signed_in'],
    check: async ({ data }, device, world) => {
      expect(data).toEqual({
        status: 'approved',
        session_token: expect.stringMatching(/^sess_[\w-]{43}$/),
        team_id: world.team.id,
      })
      expect((await pollDevice(world, device)).data).toEqual({ status: 'expired' })
      const me = await world.call({ token: data.session_token }, 'GET /scopes')
      expect(me.status).toBe(200)
    },
  },
])

scenarios('device.poll', approvedDevice, [
  {
    claim: 'HEAD has no body to deliver the token in, and does not use it up',
    as: null,
    route: 'HEAD /device/auth/poll/:device_code',
    path: codeOf,
    status: 405,
    code: 'method_not_allowed',
    check: async (_answer, device, world) =>
      expect((await pollDevice(world, device)).data.session_token).toMatch(/^sess_/),
  },
])

scenarios('device.poll', (world) => startDevice(world, { kind: 'api_key', approvedBy: 'browser:member' }), [
  {
    claim: 'the legacy kind gets a personal key of the workspace, source device-auth',
    as: null,
    path: codeOf,
    status: 200,
    audits: ['device.signed_in'],
    check: async ({ data }, _device, { open, team, people }) => {
      expect(data).toEqual({
        status: 'approved',
        api_key: expect.stringMatching(/^mill-[0-9A-Za-z]{42}$/),
        team_id: team.id,
      })
      const key = await open.platform.db
        .selectFrom('api_keys')
        .selectAll()
        .where('last_four', '=', data.api_key.slice(-4))
        .executeTakeFirstOrThrow()
      expect(key).toMatchObject({
        source: 'device-auth',
        scope: 'user',
        user_id: people.member.userId,
        created_by: people.member.userId,
        scopes: [],
        holds_engine_scopes: false,
      })
      expect(JSON.stringify(key)).not.toContain(data.api_key)
    },
  },
])

const deniedDevice = async (world: World): Promise<Device> => {
  const device = await startDevice(world)
  await world.call('browser:owner', 'POST /device/auth/deny', { body: { code: device.user_code } })
  return device
}

const expiredDevice = async (world: World): Promise<Device> => {
  const device = await startDevice(world)
  world.clock.advance(5 * minuteMs)
  return device
}

const approvedThenExpired = async (world: World): Promise<Device> => {
  const device = await approvedDevice(world)
  world.clock.advance(5 * minuteMs)
  return device
}

scenarios('device.poll', deniedDevice, [
  {
    claim: 'a denied device receives the denial',
    as: null,
    path: codeOf,
    status: 200,
    check: ({ data }) => expect(data).toEqual({ status: 'denied' }),
  },
])
scenarios('device.poll', expiredDevice, [
  {
    claim: 'after 300 seconds',
    as: null,
    path: codeOf,
    status: 200,
    check: ({ data }) => expect(data).toEqual({ status: 'expired' }),
  },
])
scenarios('device.poll', approvedThenExpired, [
  {
    claim: 'approved but never collected is lost',
    as: null,
    path: codeOf,
    status: 200,
    check: ({ data }) => expect(data).toEqual({ status: 'expired' }),
  },
])

const userCodeOf = ({ user_code }: Device) => ({ code: user_code })

scenarios('device.look_up', (world) => startDevice(world), [
  {
    claim: 'a waiting code',
    as: null,
    path: userCodeOf,
    status: 200,
    check: ({ data }, device) =>
      expect(data).toEqual({
        user_code: device.user_code,
        valid: true,
        status: 'pending',
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      }),
  },
  {
    claim: 'without the dash, in small letters',
    as: null,
    path: ({ user_code }) => ({ code: user_code.replace('-', '').toLowerCase() }),
    status: 200,
    check: ({ data }, device) => expect(data).toMatchObject({ user_code: device.user_code, valid: true }),
  },
  {
    claim: 'an unknown code looks like an expired one',
    as: null,
    path: { code: 'BCDF-GHJK' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ user_code: 'BCDF-GHJK', valid: false, status: 'expired' }),
  },
  {
    claim: 'and so does what cannot be a code',
    as: null,
    path: { code: 'hello' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ user_code: 'hello', valid: false, status: 'expired' }),
  },
])

for (const [claim, given, expected] of [
  ['approved', approvedDevice, { valid: true, status: 'approved' }],
  ['denied', deniedDevice, { valid: false, status: 'expired' }],
  ['expired', expiredDevice, { valid: false, status: 'expired' }],
  ['approved, then expired', approvedThenExpired, { valid: false, status: 'expired' }],
] as const)
  scenarios('device.look_up', given, [
    { claim, as: null, path: userCodeOf, status: 200, check: ({ data }) => expect(data).toMatchObject(expected) },
  ])
