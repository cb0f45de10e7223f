// Guarantees: an independent, certified OAuth client signs a device in over HTTP with only the server's URL: discovery,
// pending, slow_down, denied, expired, exactly-once delivery, revocation.
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from './support/database.ts'
import { type Person, signInByMail } from './support/person.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const grant = 'urn:ietf:params:oauth:grant-type:device_code'

describe('the device flow with openid-client', () => {
  let database: TestDatabase
  let server: ServerProcess
  let person: Person
  let config: client.Configuration
  /** The `error` of every rejection, in order. */
  const errors: string[] = []

  beforeAll(async () => {
    database = await createDatabase()
    server = await startServer({ env: { DATABASE_URL: database.url } })
    person = await signInByMail(server, 'ada@mill.example')
    config = await client.discovery(new URL(server.url), 'millrace-cli', undefined, client.None(), {
      algorithm: 'oauth2',
      execute: [client.allowInsecureRequests],
    })
    config[client.customFetch] = async (url, options) => {
      const response = await fetch(url, {
        ...options,
        headers: { ...options.headers, 'user-agent': 'certified-client/7.1 (linux)' },
      } as RequestInit)
      if (!response.ok) errors.push(((await response.clone().json()) as { error: string }).error)
      return response
    }
  })
  afterAll(async () => {
    await server?.remove()
    await database?.drop()
  })

  const start = () => client.initiateDeviceAuthorization(config, { scope: 'ignored' })
  const answer = (verdict: 'approve' | 'deny', code: string, more: object = {}) =>
    person.call('POST', `/device/auth/${verdict}`, { code, ...more })
  const askOnce = (deviceCode: string) =>
    client.genericGrantRequest(config, grant, { device_code: deviceCode }).then(
      (tokens) => ({ token: tokens.access_token }),
      (error: unknown) => {
        if (error instanceof client.ResponseBodyError) return { error: error.error, status: error.status }
        throw error
      },
    )
  const use = (token: string, path = '/auth/sessions') =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })

  it('is discovered', () => {
    expect(config.serverMetadata()).toMatchObject({
      issuer: server.url,
      device_authorization_endpoint: `${server.url}/oauth/device_authorization`,
      token_endpoint: `${server.url}/oauth/token`,
      revocation_endpoint: `${server.url}/oauth/revoke`,
    })
  })

  it('waits while pending, is slowed down if it polls too often, and gets its token once', async () => {
    const device = await start()
    expect(device).toMatchObject({
      expires_in: 300,
      interval: 3,
      verification_uri: `${server.url}/device`,
      verification_uri_complete: `${server.url}/device?code=${device.user_code}`,
    })
    errors.length = 0
    // Polls three times too often: after slow_down it waits longer, as the standard requires, and succeeds.
    const polling = client.pollDeviceAuthorizationGrant(config, { ...device, interval: 1 })
    await expect.poll(() => errors).toContain('slow_down')
    expect(errors[0]).toBe('authorization_pending')
    expect((await answer('approve', device.user_code, { expires_in: 3600 })).status).toBe(200)
    const tokens = await polling
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, team_id: expect.any(String) })

    const sessions = (await (await use(tokens.access_token)).json()) as { data: Record<string, unknown>[] }
    expect(sessions.data.find(({ current }) => current)).toMatchObject({
      auth_method: 'device-auth',
      ip: '127.0.0.1',
      browser: 'certified-client',
      browser_version: '7.1',
    })
    expect(await askOnce(device.device_code)).toEqual({ error: 'expired_token', status: 400 })
  })

  it('gets pending, then slow_down', async () => {
    const { device_code } = await start()
    expect(await askOnce(device_code)).toEqual({ error: 'authorization_pending', status: 400 })
    // A process that was paused polls late and gets no slow_down.
    await expect.poll(() => askOnce(device_code)).toEqual({ error: 'slow_down', status: 400 })
  })

  it('delivers to one of a hundred concurrent polls', async () => {
    const device = await start()
    await answer('approve', device.user_code)
    const answers = await Promise.all(Array.from({ length: 100 }, () => askOnce(device.device_code)))
    expect(answers.filter((one) => 'token' in one)).toHaveLength(1)
    expect(answers.filter((one) => 'error' in one && one.error === 'expired_token')).toHaveLength(99)
  })

  it('gets an error when the person refuses', async () => {
    const device = await start()
    expect((await answer('deny', device.user_code)).status).toBe(200)
    await expect(client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.1 })).rejects.toMatchObject({
      error: 'access_denied',
    })
  })

  it.each([false, true])('gets an error after five minutes (approved meanwhile: %s)', async (approved) => {
    const device = await start()
    if (approved) await answer('approve', device.user_code)
    const { rowCount } = await database.query(
      `update device_authorizations set expires_at = now() where user_code = $1`,
      [device.user_code],
    )
    expect(rowCount).toBe(1)
    await expect(client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.1 })).rejects.toMatchObject({
      error: 'expired_token',
    })
    expect((await answer('approve', device.user_code)).status).toBe(410)
  })

  it('gets an error for an unknown code', async () => {
    expect(await askOnce('invented')).toEqual({ error: 'invalid_grant', status: 400 })
  })

  it('revokes its token: the next request is rejected; an unknown token counts as revoked', async () => {
    const device = await start()
    await answer('approve', device.user_code)
    const { access_token: token } = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.1 })
    expect((await use(token)).status).toBe(200)
    await client.tokenRevocation(config, token)
    expect((await use(token)).status).toBe(401)
    await client.tokenRevocation(config, token)
    await client.tokenRevocation(config, 'anything')
  })
})
