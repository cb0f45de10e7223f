// Guarantees: only a person in a browser approves or denies a device, for one of their workspaces and with at most
// their own scopes; a code is answered once.
import { expect } from 'vitest'
import { hashToken } from '#platform/core/tokens.ts'
import { ownWorld, scenarios } from '../../../testing/scenarios.ts'
import type { World } from '../../../testing/world.ts'
import { type Device, pollDevice, startDevice } from './testing/devices.ts'

const code = ({ user_code }: Device) => ({ code: user_code })
const withCode = (rest: Record<string, unknown>) => (device: Device) => ({ ...code(device), ...rest })
const expire = async (world: World) => {
  const device = await startDevice(world)
  world.clock.advance(300_000)
  return device
}
const sessionOf = async ({ open }: World, token: string) =>
  open.platform.db
    .selectFrom('auth_sessions')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirstOrThrow()

scenarios('device.approve', (world) => startDevice(world), [
  {
    claim: 'an owner approves: recorded, not minted; the device gets full access for 30 days in the active workspace',
    as: 'browser:owner',
    body: code,
    status: 200,
    audits: ['device.approved'],
    check: async ({ data }, device, world) => {
      expect(data).toEqual({ success: true, message: expect.any(String) })
      const { db } = world.open.platform
      const row = await db
        .selectFrom('device_authorizations')
        .selectAll()
        .where('user_code', '=', device.user_code)
        .executeTakeFirstOrThrow()
      expect(row).toMatchObject({
        status: 'approved',
        user_id: world.people.owner.userId,
        team_id: world.team.id,
        scopes: null,
        lifetime_seconds: 2_592_000,
        claim_code_hash: null,
      })
      const before = await db
        .selectFrom('auth_sessions')
        .select('id')
        .where('auth_method', '=', 'device-auth')
        .execute()
      expect(before).toEqual([])
      const polled = await pollDevice(world, device, 'other-device/9.8 (darwin)')
      expect(await sessionOf(world, polled.data.session_token)).toMatchObject({
        user_id: world.people.owner.userId,
        kind: 'token',
        auth_method: 'device-auth',
        team_id: world.team.id,
        scopes: null,
        elevated: false,
        ip: '127.0.0.1',
        user_agent: 'other-device/9.8 (darwin)',
        expires_at: new Date(world.clock.now().getTime() + 2_592_000_000).toISOString().replace('Z', '000Z'),
      })
    },
  },
  {
    claim: 'a member approves, typing the code without its dash',
    as: 'browser:member',
    body: ({ user_code }: Device) => ({ code: user_code.replace('-', ' ').toLowerCase() }),
    status: 200,
    audits: ['device.approved'],
  },
  {
    claim: 'the session holds exactly the scopes that were named, sign-in-only ones included',
    as: 'browser:owner',
    body: withCode({ scopes: ['apps:read', 'apikeys:read'], expires_in: 60 }),
    status: 200,
    audits: ['device.approved'],
    check: async (_answer, device, world) => {
      const { data } = await pollDevice(world, device)
      const session = await sessionOf(world, data.session_token)
      expect(session.scopes).toEqual(['apps:read', 'apikeys:read'])
      expect(Date.parse(session.expires_at) - world.clock.now().getTime()).toBe(60_000)
      world.clock.advance(60_000)
      const late = await world.call({ token: data.session_token }, 'GET /scopes')
      expect(late.code).toBe('unauthorized')
    },
  },
  {
    claim: 'a lifetime beyond a year is a year',
    as: 'browser:owner',
    body: withCode({ expires_in: 10 ** 10 }),
    status: 200,
    audits: ['device.approved'],
    check: async (_answer, device, world) => {
      const { data } = await pollDevice(world, device)
      const session = await sessionOf(world, data.session_token)
      expect(Date.parse(session.expires_at) - world.clock.now().getTime()).toBe(365 * 24 * 3_600_000)
    },
  },
  {
    claim: 'another workspace of the approver',
    as: 'browser:owner',
    body: withCode({}),
    status: 200,
    audits: ['device.approved'],
    check: async (_answer, _device, world) => {
      const second = await startDevice(world, {
        approvedBy: 'browser:owner',
        approval: { team_id: world.people.owner.personalTeamId },
      })
      expect((await pollDevice(world, second)).data.team_id).toBe(world.people.owner.personalTeamId)
    },
  },
  { claim: 'a session token is not a browser', as: 'owner', body: code, status: 403, code: 'forbidden' },
  { claim: 'an API key cannot approve', as: 'key:', body: code, status: 403, code: 'forbidden' },
  { claim: 'a workspace key cannot approve', as: 'workspace-key:', body: code, status: 403, code: 'forbidden' },
  {
    claim: 'a cookie sent by a page of another site counts for nothing',
    as: 'browser:owner',
    headers: { origin: 'https://evil.example' },
    body: code,
    status: 401,
    code: 'unauthorized',
  },
  {
    claim: 'a workspace of somebody else',
    as: 'browser:stranger',
    body: code,
    status: 200,
    audits: ['device.approved'],
    check: async (_answer, _device, world) => {
      const device = await startDevice(world)
      const refused = await world.call('browser:stranger', 'POST /device/auth/approve', {
        body: { code: device.user_code, team_id: world.team.id },
      })
      expect(refused.code).toBe('forbidden')
      expect((await pollDevice(world, device)).data).toEqual({ status: 'pending' })
    },
  },
  { claim: 'no code', as: 'browser:owner', body: {}, status: 400, code: 'validation_error' },
  { claim: 'a code nobody has', as: 'browser:owner', body: { code: 'BCDF-GHJK' }, status: 400, code: 'invalid_code' },
  { claim: 'what cannot be a code', as: 'browser:owner', body: { code: '?' }, status: 400, code: 'invalid_code' },
  {
    claim: 'a scope that does not exist',
    as: 'browser:owner',
    body: withCode({ scopes: ['apps:fly'] }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an empty list is neither everything nor nothing',
    as: 'browser:owner',
    body: withCode({ scopes: [] }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'no time at all',
    as: 'browser:owner',
    body: withCode({ expires_in: 0 }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'platform scopes by a person who is not staff',
    as: 'browser:owner',
    body: withCode({ scopes: ['admin:read'] }),
    status: 403,
    code: 'forbidden',
  },
  {
    claim: 'platform scopes by staff without an authenticator',
    as: 'browser:platform',
    body: withCode({ scopes: ['admin:read'] }),
    status: 403,
    code: 'admin_authenticator_required',
  },
  {
    claim: 'store scopes outside the platform workspace',
    as: 'browser:owner',
    body: withCode({ scopes: ['store:submit'] }),
    status: 403,
    code: 'insufficient_scope',
  },
])

scenarios(
  'device.approve',
  async (world) => {
    await world.open.platform.db
      .updateTable('users')
      .set({ totp_confirmed_at: world.clock.now().toISOString() })
      .where('id', '=', world.people.platform.userId)
      .execute()
    return startDevice(world)
  },
  [
    {
      claim: 'platform scopes by staff whose browser has not shown the code of its authenticator',
      as: 'browser:platform',
      body: withCode({ scopes: ['admin:read'] }),
      status: 403,
      code: 'otp_required',
    },
    {
      claim: 'platform scopes by staff with power: the device carries it too',
      as: 'browser:platform',
      body: code,
      status: 200,
      audits: ['device.approved'],
      check: async (_answer, _device, world) => {
        const { db } = world.open.platform
        await db
          .updateTable('auth_sessions')
          .set({ elevated: true })
          .where('user_id', '=', world.people.platform.userId)
          .where('kind', '=', 'browser')
          .execute()
        world.clock.advance(31_000)
        const device = await startDevice(world, {
          approvedBy: 'browser:platform',
          approval: { scopes: ['admin:read'] },
        })
        const { data } = await pollDevice(world, device)
        expect(await sessionOf(world, data.session_token)).toMatchObject({
          elevated: true,
          scopes: ['admin:read'],
        })
      },
    },
  ],
  ownWorld,
)

scenarios(
  'device.approve',
  async (world) => {
    await world.open.platform.db
      .updateTable('users')
      .set({ role: 'guest' })
      .where('id', '=', world.people.member.userId)
      .execute()
    return startDevice(world)
  },
  [{ claim: 'a guest account cannot approve', as: 'browser:member', body: code, status: 403, code: 'forbidden' }],
)

scenarios(
  'device.approve',
  (world) => startDevice(world, { kind: 'api_key' }),
  [
    {
      claim: 'a legacy key with engine scopes needs an admin of the workspace',
      as: 'browser:member',
      body: withCode({ scopes: ['engines:write'] }),
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'a legacy key holds no sign-in-only scope',
      as: 'browser:owner',
      body: withCode({ scopes: ['user:read'] }),
      status: 400,
      code: 'validation_error',
    },
  ],
  ownWorld,
)

scenarios('device.approve', (world) => startDevice(world, { challenge: true }), [
  {
    claim: 'a device that sent a challenge gets six digits; only their hash is stored',
    as: 'browser:owner',
    body: code,
    status: 200,
    audits: ['device.approved'],
    check: async ({ data }, device, { open }) => {
      expect(data.claim_code).toMatch(/^\d{6}$/)
      const row = await open.platform.db
        .selectFrom('device_authorizations')
        .selectAll()
        .where('user_code', '=', device.user_code)
        .executeTakeFirstOrThrow()
      expect(row.claim_code_hash).toHaveLength(32)
      expect(JSON.stringify(row)).not.toContain(`"${data.claim_code}"`)
    },
  },
])

scenarios('device.deny', (world) => startDevice(world), [
  {
    claim: 'a member refuses; nobody is signed in, and the answer stands',
    as: 'browser:member',
    body: code,
    status: 200,
    audits: ['device.denied'],
    check: async ({ data }, device, world) => {
      expect(data).toEqual({ success: true, message: expect.any(String) })
      const later = await world.call('browser:owner', 'POST /device/auth/approve', {
        body: { code: device.user_code },
      })
      expect(later.code).toBe('already_processed')
    },
  },
  { claim: 'a session token is not a browser', as: 'owner', body: code, status: 403, code: 'forbidden' },
  { claim: 'no code', as: 'browser:owner', body: {}, status: 400, code: 'validation_error' },
  { claim: 'a code nobody has', as: 'browser:owner', body: { code: 'BCDF-GHJK' }, status: 400, code: 'invalid_code' },
])

for (const operation of ['device.approve', 'device.deny'] as const) {
  scenarios(operation, expire, [
    { claim: 'after 300 seconds', as: 'browser:owner', body: code, status: 410, code: 'expired' },
  ])
  scenarios(operation, (world) => startDevice(world, { approvedBy: 'browser:admin' }), [
    {
      claim: 'approved by somebody before',
      as: 'browser:owner',
      body: code,
      status: 409,
      code: 'already_processed',
    },
  ])
}
