// Guarantees: the approval page shows the requested access to signed-in browsers only, accepts answers only from
// itself, and escapes all text of the device.

import { deviceCodeGrant } from '@millrace/contract/device'
import { scopeCatalog } from '@millrace/contract/scopes'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { hashToken } from '#platform/core/tokens.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { createSession } from '../sessions/sessions.ts'
import { lifetimeChoices, lifetimeDefault } from './page-choices.ts'
import { type Device, form, pollDevice, startDevice } from './testing/devices.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const open = (as: 'browser:owner' | 'owner' | null, code?: string) =>
  world.call(as, 'GET /device', { query: code === undefined ? {} : { code } })

const post = (fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const sent = form(fields)
  return world.call('browser:owner', 'POST /device', { ...sent, headers: { ...sent.headers, ...headers } })
}

/** Workspaces of the owner: the personal one, and the current one of the browser. */
const workspaces = async () => {
  const { data: teams } = await world.call('browser:owner', 'GET /teams')
  const { data: me } = await world.call('browser:owner', 'GET /me')
  const { id } = teams.find((team: { type: string }) => team.type === 'personal')
  return { personal: id as string, active: me.team.id as string }
}

const approval = ({ user_code }: Device, more: Record<string, string> = {}) => ({
  code: user_code,
  decision: 'approve',
  access: 'login',
  lifetime: String(lifetimeDefault),
  team_id: world.team.id,
  ...more,
})

describe('a client that requests scopes', () => {
  const needs = ['engines:read', 'engines:write']
  const accessOf = (text: string) => [...text.matchAll(/name="access"[^>]*value="([\w-]+)"( checked)?/g)]

  it('POST /device/auth: the page offers exactly those, also to a person who types the code', async () => {
    const { data: device } = await world.call(null, 'POST /device/auth', {
      body: { token_kind: 'api_key', scopes: needs },
    })
    const { APP_URL } = world.open.platform.settings
    expect(device.approve_url).toBe(`${APP_URL}/device?code=${device.user_code}`)
    const { text } = await open('browser:owner', device.user_code)
    expect(accessOf(text).map(([, id]) => id)).toEqual(['requested'])
    for (const scope of needs) expect(text).toContain(`<code>${scope}</code>`)
    const approved = await post(approval(device, { access: 'requested', scopes: 'apps:read' }))
    expect(approved.status).toBe(200)
    const { data: polled } = await world.call(null, `GET /device/auth/poll/${device.device_code}`)
    expect((await world.call({ token: polled.api_key }, 'GET /engines')).status).toBe(200)
    expect((await world.call({ token: polled.api_key }, 'GET /apps')).data?.items ?? []).toEqual([])
    expect((await world.call({ token: polled.api_key }, 'GET /secrets')).status).toBe(403)
  })

  it('POST /oauth/device_authorization: they are preselected, and the token names them', async () => {
    const sent = form({ client_id: 'cli', scope: 'openid apps:read projects' })
    const { json: device } = await world.call(null, 'POST /oauth/device_authorization', sent)
    const { text } = await open('browser:owner', String(device.user_code))
    expect(accessOf(text).map(([, id, checked]) => [id, checked !== undefined])).toEqual([
      ['requested', true],
      ['login', false],
      ['run-only', false],
      ['read', false],
      ['full', false],
    ])
    await post({ ...approval({ user_code: String(device.user_code) } as Device), access: 'requested' })
    const grant = form({ grant_type: deviceCodeGrant, device_code: String(device.device_code) })
    const { json: token } = await world.call(null, 'POST /oauth/token', grant)
    expect(String(token.scope).split(' ').toSorted()).toEqual(['apps:read', 'projects:read', 'projects:write'])
  })

  it('POST /oauth/device_authorization: unknown scopes alone request nothing', async () => {
    const { json: device } = await world.call(null, 'POST /oauth/device_authorization', form({ scope: 'openid' }))
    const { text } = await open('browser:owner', String(device.user_code))
    expect(accessOf(text)[0]?.slice(1)).toEqual(['login', ' checked'])
  })

  it('names a workspace, which is preselected for its members', async () => {
    const chosen = async (teamId: string) => {
      const { data: device } = await world.call(null, 'POST /device/auth', { body: { team_id: teamId } })
      const { text } = await open('browser:owner', device.user_code)
      return /<option value="([^"]+)" selected>/.exec(text)?.[1]
    }
    const { personal, active } = await workspaces()
    expect(active).toBe(world.team.id)
    expect(await chosen(personal)).toBe(personal)
    expect(await chosen('01jqv3w7-nowhere')).toBe(active)
  })

  it('cannot request unknown scopes, and is not approved for requested ones when it requested none', async () => {
    expect((await world.call(null, 'POST /device/auth', { body: { scopes: ['all'] } })).status).toBe(400)
    const { data: device } = await world.call(null, 'POST /device/auth', { body: {} })
    const { status } = await post(approval(device, { access: 'requested', scopes: 'apps:read' }))
    expect(status).toBe(400)
  })
})

describe('seeing the page', () => {
  test.each(['owner', null] as const)('%s is sent to the sign-in page and back', async (as) => {
    const { status, headers } = await open(as, 'BCDF-GHJK')
    const { APP_URL } = world.open.platform.settings
    expect(status).toBe(303)
    expect(headers.location).toBe(
      `${APP_URL}/sign-in?redirect_to=${encodeURIComponent(`${APP_URL}/device?code=BCDF-GHJK`)}`,
    )
  })
  it('asks for the code when there is none', async () => {
    const { status, text, headers } = await open('browser:owner')
    expect(status).toBe(200)
    expect(text).toContain('name="code"')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['cache-control']).toBe('no-store')
  })
  it('shows the code, the client, its address, the workspaces, the choices', async () => {
    const device = await startDevice(world, { userAgent: 'millrace-cli/1.2.3 (linux)' })
    const { text } = await open('browser:owner', device.user_code.toLowerCase())
    expect(text).toContain(device.user_code)
    expect(text).toContain('millrace-cli 1.2.3 on Linux')
    expect(text).toContain('127.0.0.1')
    expect(text).toContain(`value="${world.team.id}"`)
    expect(text).not.toContain(world.otherTeam.id)
    expect([...text.matchAll(/name="access"[^>]*value="([\w-]+)"/g)].map(([, id]) => id)).toEqual([
      'login',
      'run-only',
      'read',
      'full',
    ])
    expect(text).toMatch(/value="login" checked/)
    expect(text).toMatch(/value="31536000" selected/)
  })
  it('escapes what the device calls itself', async () => {
    const device = await startDevice(world, { userAgent: '<script>alert(1)</script>' })
    const { text } = await open('browser:owner', device.user_code)
    expect(text).not.toContain('<script>')
    expect(text).toContain('&#60;script&#62;')
  })
  it('says when a code is unknown, over or answered', async () => {
    expect((await open('browser:owner', 'BCDF-GHJK')).text).toContain('No device is waiting for this code')
    const answered = await startDevice(world, { approvedBy: 'browser:owner' })
    expect((await open('browser:owner', answered.user_code)).text).toContain('already answered')
  })
  it('offers one hour to one year, never for ever', () => {
    expect(lifetimeChoices[0].seconds).toBe(3600)
    expect(lifetimeChoices.at(-1)?.seconds).toBe(365 * 24 * 3600)
    expect(lifetimeDefault).toBe(365 * 24 * 3600)
  })
})

describe('answering', () => {
  const sessionFor = async (device: Device) => {
    const { data } = await pollDevice(world, device)
    return world.open.platform.db
      .selectFrom('auth_sessions')
      .select(['scopes', 'team_id', 'created_at', 'expires_at'])
      .where('token_hash', '=', hashToken(data.session_token))
      .executeTakeFirstOrThrow()
  }

  test.each([
    ['login', scopeCatalog.grants],
    ['run-only', scopeCatalog.presets.find(({ id }) => id === 'run-only')?.scopes],
    ['read', scopeCatalog.presets.find(({ id }) => id === 'read')?.scopes],
    ['full', null],
  ])('approve with %s', async (access, scopes) => {
    const device = await startDevice(world)
    const answered = await post(approval(device, { access, lifetime: '3600' }))
    expect(answered.status, answered.text).toBe(200)
    expect(answered.text).toContain('Device approved')
    const session = await sessionFor(device)
    expect(session).toMatchObject({ scopes, team_id: world.team.id })
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(3_600_000)
  })
  it('approve a legacy key with the standard preset, which for a key has no sign-in-only scope', async () => {
    const device = await startDevice(world, { kind: 'api_key' })
    expect((await open('browser:owner', device.user_code)).text).toMatch(/value="standard" checked/)
    expect((await post(approval(device, { access: 'standard' }))).status).toBe(200)
    expect((await pollDevice(world, device)).data.api_key).toMatch(/^mill-/)
  })
  it('shows the six digits to the device that can use them', async () => {
    const device = await startDevice(world, { challenge: true })
    const digits = /id="claim-code">(\d{6})</.exec((await post(approval(device))).text)?.[1]
    const claimed = await world.call(null, 'POST /device/auth/claim', {
      body: { code: digits, code_verifier: device.verifier },
    })
    expect(claimed.data.session_token).toMatch(/^sess_/)
  })
  it('deny', async () => {
    const device = await startDevice(world)
    expect((await post({ code: device.user_code, decision: 'deny' })).text).toContain('Device refused')
    expect((await pollDevice(world, device)).data.status).toBe('denied')
  })

  test.each<[string, Record<string, string>, Record<string, string>, number]>([
    ['from a page of another site', {}, { origin: 'https://evil.example' }, 303],
    ['from a page that hides its origin', {}, { origin: 'null' }, 303],
    ['a lifetime that was not offered', { lifetime: '999999999' }, {}, 400],
    ['access that was not offered', { access: 'everything' }, {}, 400],
    ['no decision', { decision: '' }, {}, 400],
    ['a workspace of somebody else', { team_id: 'not-mine' }, {}, 403],
    ['a wrong code', { code: 'BCDF-GHJK' }, {}, 400],
  ])('refused: %s', async (_claim, fields, headers, status) => {
    const device = await startDevice(world)
    const refused = await post(approval(device, fields), headers)
    expect(refused.status, refused.text).toBe(status)
    expect((await pollDevice(world, device)).data.status).toBe('pending')
  })
  it('refused without an origin: no browser sends a form like that', async () => {
    const device = await startDevice(world)
    const { userId } = world.people.owner
    const { secret } = await createSession(world.ctx(), { userId, kind: 'browser', authMethod: 'magic-link' })
    const sent = form(approval(device))
    const refused = await world.call(null, 'POST /device', {
      ...sent,
      headers: { ...sent.headers, cookie: `session=${secret}` },
    })
    expect(refused.status).toBe(403)
    expect((await pollDevice(world, device)).data.status).toBe('pending')
  })
})
