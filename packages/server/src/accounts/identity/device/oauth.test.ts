// Guarantees: the OAuth routes follow RFC 8628, 7009 and 8414: plain JSON, standard error names, form bodies.
import { deviceCodeGrant } from '@millrace/contract/device'
import { expect } from 'vitest'
import { hashToken } from '#platform/core/tokens.ts'
import { scenarios } from '../../../testing/scenarios.ts'
import type { World } from '../../../testing/world.ts'
import { mintKey } from '../../access/service.ts'
import { type Device, form, pollDevice, startDevice } from './testing/devices.ts'

const formHeaders = form({}).headers
const tokenForm = ({ device_code }: Device) => form({ grant_type: deviceCodeGrant, device_code }).body
const askToken = (world: World, device: Device) =>
  world.call(null, 'POST /oauth/token', { headers: formHeaders, body: tokenForm(device) })

scenarios('oauth.device_authorization', () => null, [
  {
    claim: 'a certified client sends a form with its id',
    as: null,
    headers: formHeaders,
    body: form({ client_id: 'cli', scope: 'apps:read' }).body,
    status: 200,
    check: async ({ json, headers }, _given, { open }) => {
      const { APP_URL } = open.platform.settings
      expect(json).toEqual({
        device_code: expect.stringMatching(/^[\w-]{43}$/),
        user_code: expect.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/),
        verification_uri: `${APP_URL}/device`,
        verification_uri_complete: `${APP_URL}/device?code=${json.user_code}`,
        expires_in: 300,
        interval: 3,
      })
      expect(headers['cache-control']).toBe('no-store')
      const row = await open.platform.db
        .selectFrom('device_authorizations')
        .select('token_kind')
        .where('device_code_hash', '=', hashToken(String(json.device_code)))
        .executeTakeFirst()
      expect(row?.token_kind).toBe('session')
    },
  },
  { claim: 'no body at all', as: null, status: 200 },
  { claim: 'a body that is not an object', as: null, body: [], status: 400, code: 'invalid_request' },
])

scenarios('oauth.token', (world) => startDevice(world), [
  {
    claim: 'pending, then too fast: each slow_down lengthens the interval by five seconds',
    as: null,
    headers: formHeaders,
    body: tokenForm,
    status: 400,
    code: 'authorization_pending',
    check: async ({ json, headers }, device, world) => {
      expect(json.error_description).toEqual(expect.any(String))
      expect(headers['content-type']).toMatch(/^application\/json/)
      expect(headers['cache-control']).toBe('no-store')
      world.clock.advance(3000)
      expect((await askToken(world, device)).code).toBe('authorization_pending')
      world.clock.advance(2000)
      expect((await askToken(world, device)).code).toBe('slow_down')
      world.clock.advance(3000)
      expect((await askToken(world, device)).code).toBe('slow_down')
      world.clock.advance(13_000)
      expect((await askToken(world, device)).code).toBe('authorization_pending')
    },
  },
  {
    claim: 'polled at once again',
    as: null,
    headers: formHeaders,
    body: tokenForm,
    status: 400,
    code: 'authorization_pending',
    check: async (_answer, device, world) => {
      const second = await askToken(world, device)
      expect({ status: second.status, code: second.code }).toEqual({ status: 400, code: 'slow_down' })
    },
  },
  {
    claim: 'JSON is understood as well',
    as: null,
    body: ({ device_code }: Device) => ({ grant_type: deviceCodeGrant, device_code }),
    status: 400,
    code: 'authorization_pending',
  },
  {
    claim: 'an unknown device code',
    as: null,
    headers: formHeaders,
    body: form({ grant_type: deviceCodeGrant, device_code: 'nobody' }).body,
    status: 400,
    code: 'invalid_grant',
  },
  {
    claim: 'another grant',
    as: null,
    headers: formHeaders,
    body: form({ grant_type: 'password', username: 'a', password: 'b' }).body,
    status: 400,
    code: 'unsupported_grant_type',
  },
  { claim: 'no grant type', as: null, headers: formHeaders, body: 'x=1', status: 400, code: 'invalid_request' },
  {
    claim: 'no device code',
    as: null,
    headers: formHeaders,
    body: form({ grant_type: deviceCodeGrant }).body,
    status: 400,
    code: 'invalid_request',
  },
])

scenarios(
  'oauth.token',
  async (world) => {
    const device = await startDevice(world)
    await askToken(world, device)
    return device
  },
  [
    {
      claim: 'faster than the interval',
      as: null,
      headers: formHeaders,
      body: tokenForm,
      status: 400,
      code: 'slow_down',
    },
  ],
)

scenarios('oauth.token', (world) => startDevice(world, { approvedBy: 'browser:owner' }), [
  {
    claim: 'approved: a bearer token for the workspace, even right after another poll; afterwards expired_token',
    as: null,
    headers: formHeaders,
    body: tokenForm,
    status: 200,
    audits: ['session.created', 'device.signed_in'],
    check: async ({ json, headers }, device, world) => {
      expect(json).toEqual({
        access_token: expect.stringMatching(/^sess_/),
        token_type: 'Bearer',
        team_id: world.team.id,
        expires_in: 2_592_000,
      })
      expect(headers['cache-control']).toBe('no-store')
      expect((await askToken(world, device)).code).toBe('expired_token')
      expect((await pollDevice(world, device)).data).toEqual({ status: 'expired' })
    },
  },
])

scenarios(
  'oauth.token',
  (world) =>
    startDevice(world, {
      approvedBy: 'browser:owner',
      approval: { scopes: ['apps:read', 'apps:execute'], expires_in: 60 },
    }),
  [
    {
      claim: 'a narrowed token names its scopes',
      as: null,
      headers: formHeaders,
      body: tokenForm,
      status: 200,
      audits: ['session.created', 'device.signed_in'],
      check: ({ json }) => expect(json).toMatchObject({ scope: 'apps:read apps:execute', expires_in: 60 }),
    },
  ],
)

scenarios(
  'oauth.token',
  async (world) => {
    const device = await startDevice(world)
    await world.call('browser:owner', 'POST /device/auth/deny', { body: { code: device.user_code } })
    return device
  },
  [{ claim: 'refused', as: null, headers: formHeaders, body: tokenForm, status: 400, code: 'access_denied' }],
)

scenarios(
  'oauth.token',
  async (world) => {
    const device = await startDevice(world)
    world.clock.advance(300_000)
    return device
  },
  [
    {
      claim: 'after 300 seconds',
      as: null,
      headers: formHeaders,
      body: tokenForm,
      status: 400,
      code: 'expired_token',
    },
  ],
)

const personalKey = (world: World) =>
  mintKey(world.ctx(), {
    teamId: world.team.id,
    userId: world.people.owner.userId,
    createdBy: world.people.owner.userId,
    name: 'to revoke',
    scope: 'user',
    scopes: [],
    holdsEngineScopes: false,
    source: '',
    expiresAt: null,
  })

const tokens = async (world: World) => {
  const device = await startDevice(world, { approvedBy: 'browser:owner' })
  const session: string = (await pollDevice(world, device)).data.session_token
  const key = (await personalKey(world)).text
  // Both are in the cache of credentials from here on.
  for (const token of [session, key]) expect((await world.call({ token }, 'GET /scopes')).status).toBe(200)
  return { session, key }
}

scenarios('oauth.revoke', tokens, [
  {
    claim: 'a session token works until it is revoked, and not one request longer',
    as: null,
    headers: formHeaders,
    body: ({ session }: { session: string }) => form({ token: session }).body,
    status: 200,
    emits: ['access'],
    audits: ['session.revoked'],
    check: async ({ json }, { session }, world) => {
      expect(json).toEqual({})
      expect((await world.call({ token: session }, 'GET /scopes')).code).toBe('unauthorized')
    },
  },
  {
    claim: 'an API key likewise',
    as: null,
    headers: formHeaders,
    body: ({ key }: { key: string }) => form({ token: key, token_type_hint: 'access_token' }).body,
    status: 200,
    emits: ['access'],
    audits: ['api_key.revoked'],
    check: async (_answer, { key }, world) =>
      expect((await world.call({ token: key }, 'GET /scopes')).code).toBe('unauthorized'),
  },
  {
    claim: 'a token nobody has',
    as: null,
    headers: formHeaders,
    body: form({ token: `sess_${'a'.repeat(43)}` }).body,
    status: 200,
  },
  { claim: 'anything else', as: null, headers: formHeaders, body: form({ token: 'x' }).body, status: 200 },
  { claim: 'no token', as: null, headers: formHeaders, body: '', status: 400, code: 'invalid_request' },
  { claim: 'an empty token', as: null, headers: formHeaders, body: 'token=', status: 400, code: 'invalid_request' },
])

scenarios('oauth.metadata', () => null, [
  {
    claim: 'discovery names the routes, bare',
    as: null,
    status: 200,
    check: ({ json }, _given, { open }) => {
      const base = open.platform.settings.BASE_URL
      expect(json).toMatchObject({
        issuer: base,
        token_endpoint: `${base}/oauth/token`,
        device_authorization_endpoint: `${base}/oauth/device_authorization`,
        revocation_endpoint: `${base}/oauth/revoke`,
        grant_types_supported: ['authorization_code', deviceCodeGrant],
        authorization_endpoint: `${base}/oauth/authorize`,
        registration_endpoint: `${base}/oauth/register`,
        token_endpoint_auth_methods_supported: ['none'],
      })
      expect(json.scopes_supported).toContain('apps:read')
      expect(json.scopes_supported).not.toContain('admin:write')
      expect(json).not.toHaveProperty('data')
    },
  },
])
