// Guards: every door of device sign-in answers exactly as specified, to whom it should and to nobody else.
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { setEntitlement } from '../../access/service.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
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
    audits: ['device.signed_in'],
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

scenarios('device.poll', (world) => startDevice(world, { kind: 'api_key', approvedBy: 'browser:member' }), [
  {
    claim: 'the legacy kind gets a personal key of the workspace, source device-auth',
    as: null,
    path: codeOf,
    status: 200,
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
    claim: 'a refused device is told so',
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

scenarios('device.claim', (world) => startDevice(world, { challenge: true, approvedBy: 'browser:owner' }), [
  {
    claim: 'the six digits and the verifier buy the credential, once',
    as: null,
    body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
    status: 200,
    audits: ['device.signed_in'],
    check: async ({ data, headers }, device, world) => {
      expect(data).toEqual({ session_token: expect.stringMatching(/^sess_/), team_id: world.team.id })
      expect(headers['cache-control']).toBe('no-store')
      expect((await pollDevice(world, device)).data).toEqual({ status: 'expired' })
      const again = await world.call(null, 'POST /device/auth/claim', {
        body: { code: device.claimCode, code_verifier: device.verifier },
      })
      expect(again.code).toBe('already_processed')
    },
  },
  {
    claim: 'digits typed with a gap',
    as: null,
    body: ({ claimCode, verifier }: Device) => ({
      code: `${claimCode.slice(0, 3)} ${claimCode.slice(3)}`,
      code_verifier: verifier,
    }),
    status: 200,
  },
  {
    claim: 'wrong digits',
    as: null,
    body: ({ claimCode, verifier }: Device) => ({ code: otherDigits(claimCode), code_verifier: verifier }),
    status: 400,
    code: 'invalid_code',
  },
  {
    claim: 'right digits with another verifier',
    as: null,
    body: ({ claimCode }: Device) => ({ code: claimCode, code_verifier: 'v'.repeat(43) }),
    status: 400,
    code: 'invalid_code',
  },
  {
    claim: 'no verifier',
    as: null,
    body: ({ claimCode }: Device) => ({ code: claimCode }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a verifier that RFC 7636 does not allow',
    as: null,
    body: ({ claimCode }: Device) => ({ code: claimCode, code_verifier: 'short' }),
    status: 400,
    code: 'validation_error',
  },
])

const otherDigits = (digits: string) => String((Number(digits) + 1) % 1_000_000).padStart(6, '0')

scenarios('device.claim', (world) => startDevice(world, { challenge: true }), [
  {
    claim: 'before approval there is nothing to claim',
    as: null,
    body: ({ verifier }: Device) => ({ code: '000000', code_verifier: verifier }),
    status: 400,
    code: 'invalid_code',
  },
])

scenarios(
  'device.claim',
  async (world) => {
    const device = await startDevice(world, { challenge: true, approvedBy: 'browser:owner' })
    world.clock.advance(5 * minuteMs)
    return device
  },
  [
    {
      claim: 'after five minutes',
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
      status: 410,
      code: 'expired',
    },
  ],
)

scenarios(
  'device.claim',
  async (world) => {
    const device = await startDevice(world, { challenge: true, kind: 'api_key', approvedBy: 'browser:owner' })
    for (let tries = 0; tries < 4; tries++)
      await world.call(null, 'POST /device/auth/claim', {
        body: { code: otherDigits(device.claimCode), code_verifier: device.verifier },
      })
    return device
  },
  [
    {
      claim: 'four wrong tries leave a fifth that is right; the legacy kind gets its key',
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
      status: 200,
      check: ({ data }) => expect(data.api_key).toMatch(/^mill-/),
    },
    {
      claim: 'the fifth wrong try ends the request, for polls too',
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: otherDigits(claimCode), code_verifier: verifier }),
      status: 400,
      code: 'invalid_code',
      check: async (_answer, device, world) => {
        const right = { code: device.claimCode, code_verifier: device.verifier }
        expect((await world.call(null, 'POST /device/auth/claim', { body: right })).code).toBe('expired')
        expect((await pollDevice(world, device)).data).toEqual({ status: 'expired' })
      },
    },
  ],
)

scenarios(
  'device.claim',
  async (world) => {
    const device = await startDevice(world, { challenge: true })
    await world.call('browser:owner', 'POST /device/auth/deny', { body: { code: device.user_code } })
    return device
  },
  [
    {
      claim: 'a refused request',
      as: null,
      body: ({ verifier }: Device) => ({ code: '000000', code_verifier: verifier }),
      status: 409,
      code: 'already_processed',
    },
  ],
)

// The workspace's plan: no keys at all, or all of them in use.
const withKeyLimit = (limit: number, challenge: boolean) => async (world: World) => {
  await setEntitlement(world.ctx(), world.team.id, 'api_keys', null)
  const device = await startDevice(world, { kind: 'api_key', challenge, approvedBy: 'browser:owner' })
  await world.token('key:apps:read')
  await setEntitlement(world.ctx(), world.team.id, 'api_keys', limit)
  return device
}

for (const [limit, refusal] of [
  [1, { status: 402, code: 'limit_exceeded' }],
  [0, { status: 403, code: 'feature_not_available' }],
] as const) {
  scenarios('device.poll', withKeyLimit(limit, false), [
    {
      claim: `a plan with room for ${limit}: no key is made, and the approval stands until it lapses`,
      as: null,
      path: codeOf,
      ...refusal,
      check: async (_answer, device, world) => {
        await setEntitlement(world.ctx(), world.team.id, 'api_keys', null)
        expect((await pollDevice(world, device)).data.api_key).toMatch(/^mill-/)
      },
    },
  ])
  scenarios('device.claim', withKeyLimit(limit, true), [
    {
      claim: `a plan with room for ${limit}`,
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
      ...refusal,
    },
  ])
  scenarios(
    'device.approve',
    async (world) => {
      await world.token('key:apps:read')
      await setEntitlement(world.ctx(), world.team.id, 'api_keys', limit)
      return startDevice(world, { kind: 'api_key' })
    },
    [
      {
        claim: `a plan with room for ${limit}: the person learns it`,
        as: 'browser:owner',
        body: ({ user_code }: Device) => ({ code: user_code }),
        ...refusal,
      },
    ],
  )
}
