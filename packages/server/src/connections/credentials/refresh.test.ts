// Guarantees: a token is refreshed five minutes before it expires and once after a 401, by exactly one request at a
// time for any number of callers and processes; refresh tokens rotate; a refusal ends the connection, an outage does
// not.
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type OpenPlatform, openPlatform } from '#start/platform.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { fresh, renew, renewEnding } from './refresh.ts'
import { findById } from './store.ts'
import {
  type AuthorizationServer,
  clientSecret,
  ordinaryClient,
  startAuthorizationServer,
} from './testing/authorization-server.ts'
import { connectAt, credentialRow, givenProvider, specFor } from './testing/given.ts'
import { openToken } from './tokens.ts'
import { withConnection } from './values.ts'

let world: World
let server: AuthorizationServer
let replica: OpenPlatform

const minuteMs = 60_000

beforeAll(async () => {
  server = await startAuthorizationServer({ clients: [ordinaryClient(['mill', 'robot'])], accessTokenSeconds: 3600 })
  world = await createWorld()
  await givenProvider(world, { slug: 'mill', specs: [specFor(server)] })
  replica = await openPlatform({
    settings: world.open.platform.settings,
    connectionString: world.connectionString,
    log: pino({ level: 'silent' }),
    now: world.clock.now,
    print: () => {},
    maxConnections: 8,
  })
})
afterAll(async () => {
  await replica?.close()
  await world?.close()
  await server?.close()
})
afterEach(() => {
  server.tokenStatus = null
  server.beforeToken = null
})

const connected = async () => {
  const { id } = await connectAt(world, 'owner', 'mill')
  const row = await findById(world.open.platform.db, id)
  if (!row) throw new Error('The connection is not there')
  return row
}
const refreshes = () => server.granted.filter((grant) => grant === 'refresh_token').length
const tokenOf = async (id: string) =>
  openToken(world.open.platform, await credentialRow(world, id), 'access_token_sealed')

describe('before it ends', () => {
  it('a token with more than five minutes left is used as it is', async () => {
    const row = await connected()
    const before = refreshes()
    world.clock.advance(54 * minuteMs)
    expect((await fresh(world.open.platform, row)).token_generation).toBe(row.token_generation)
    expect(refreshes()).toBe(before)
  })

  it('with less it is renewed, and the refresh token rotates', async () => {
    const row = await connected()
    const oldRefresh = await openToken(world.open.platform, row, 'refresh_token_sealed')
    const oldToken = await tokenOf(row.id)
    world.clock.advance(56 * minuteMs)
    const renewed = await fresh(world.open.platform, row)
    expect(renewed.token_generation).toBe(row.token_generation + 1)
    expect(await tokenOf(row.id)).not.toBe(oldToken)
    expect(await openToken(world.open.platform, renewed, 'refresh_token_sealed')).not.toBe(oldRefresh)
    expect(renewed).toMatchObject({ status: 'connected', refresh_lease: null, scopes: ['openid', 'profile', 'read'] })
    expect(Date.parse(renewed.expires_at ?? '')).toBe(world.clock.now().getTime() + 60 * minuteMs)
    // The rotated token works the next time.
    world.clock.advance(57 * minuteMs)
    expect((await fresh(world.open.platform, renewed)).token_generation).toBe(row.token_generation + 2)
  })

  it('the sweep refreshes unused connections', async () => {
    const row = await connected()
    world.clock.advance(57 * minuteMs)
    await renewEnding(world.open.platform)
    expect(await credentialRow(world, row.id)).toMatchObject({
      status: 'connected',
      token_generation: row.token_generation + 1,
    })
  })
})

describe('one at a time', () => {
  it('forty requests in two processes: one refresh', async () => {
    const row = await connected()
    world.clock.advance(58 * minuteMs)
    server.beforeToken = () => sleep(200)
    const before = refreshes()
    const platforms = [world.open.platform, replica.platform]
    const rows = await Promise.all(
      Array.from({ length: 40 }, (_, index) => fresh(platforms[index % 2] ?? world.open.platform, row)),
    )
    expect(refreshes() - before).toBe(1)
    expect(new Set(rows.map(({ token_generation }) => token_generation))).toEqual(new Set([row.token_generation + 1]))
  })

  it('a process that died with the lease is waited for, then succeeded', async () => {
    const row = await connected()
    world.clock.advance(58 * minuteMs)
    const { db } = world.open.platform
    const heldFor = async (milliseconds: number) =>
      db
        .updateTable('credentials')
        .set({ refresh_lease: 'dead', refresh_lease_until: new Date(Date.now() + milliseconds) })
        .where('id', '=', row.id)
        .execute()
    await heldFor(60 * minuteMs)
    const before = refreshes()
    const waiting = fresh(world.open.platform, row)
    await sleep(100)
    expect(refreshes()).toBe(before)
    await heldFor(-1)
    expect((await waiting).token_generation).toBe(row.token_generation + 1)
  })

  it('a process that slept through its lease does not overwrite newer tokens', async () => {
    const row = await connected()
    world.clock.advance(58 * minuteMs)
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    server.beforeToken = () => {
      asked.resolve()
      return answer.promise
    }
    const slow = renew(world.open.platform, row.id, row.token_generation)
    await asked.promise
    const stolen = Buffer.from('newer')
    await world.open.platform.db
      .updateTable('credentials')
      .set({ refresh_lease: 'other', access_token_sealed: stolen, token_generation: row.token_generation + 5 })
      .where('id', '=', row.id)
      .execute()
    answer.resolve()
    expect((await slow).token_generation).toBe(row.token_generation + 5)
    expect((await credentialRow(world, row.id)).access_token_sealed).toEqual(stolen)
    await world.call('owner', `DELETE /credentials/${row.id}`)
  })
})

describe('after a 401', () => {
  it('renews once, repeats the request once, and returns the second response', async () => {
    const row = await connected()
    const seen: string[] = []
    const before = refreshes()
    const refused = await withConnection(world.open.platform, row, async ({ headers }) => {
      seen.push(headers.authorization ?? '')
      return new Response('no', { status: 401 })
    })
    expect(refused.status).toBe(401)
    expect(seen).toHaveLength(2)
    expect(seen[0]).not.toBe(seen[1])
    expect(refreshes() - before).toBe(1)
  })

  it('a token that was revoked at the service is replaced behind the caller’s back', async () => {
    const row = await connected()
    await server.forget((await tokenOf(row.id)) ?? '')
    const me = await withConnection(world.open.platform, row, ({ headers }) =>
      fetch(`${server.address}/me`, { headers }),
    )
    expect([me.status, await me.json()]).toEqual([200, expect.objectContaining({ sub: 'ada' })])
  })

  it('ten requests that are refused together: one refresh', async () => {
    const row = await connected()
    const before = refreshes()
    const good = new Set<string>()
    server.beforeToken = () => sleep(100)
    const old = `Bearer ${await tokenOf(row.id)}`
    await Promise.all(
      Array.from({ length: 10 }, () =>
        withConnection(world.open.platform, row, async ({ headers }) => {
          const token = headers.authorization ?? ''
          if (token === old) return new Response('', { status: 401 })
          good.add(token)
          return new Response('')
        }),
      ),
    )
    expect(refreshes() - before).toBe(1)
    expect(good.size).toBe(1)
  })
})

describe('when it fails', () => {
  it('refused: expired, the refresh token is destroyed, the caller is asked to connect again', async () => {
    const row = await connected()
    await world.open.platform.db
      .updateTable('credentials')
      .set({ refresh_token_sealed: (await connectedElsewhere(row.id)).sealed })
      .where('id', '=', row.id)
      .execute()
    world.clock.advance(58 * minuteMs)
    const held = await findById(world.open.platform.db, row.id)
    await expect(held && fresh(world.open.platform, held)).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await credentialRow(world, row.id)).toMatchObject({
      status: 'expired',
      refresh_token_sealed: null,
      refresh_lease: null,
      error_message: expect.stringContaining('invalid_grant'),
    })
    expect((await world.call('owner', 'GET /credentials/mill')).data.status).toBe('expired')
  })

  it('an outage: the token is used while it works, expired afterwards, and renewed once the service is back', async () => {
    const row = await connected()
    world.clock.advance(58 * minuteMs)
    server.tokenStatus = 503
    expect((await fresh(world.open.platform, row)).token_generation).toBe(row.token_generation)
    expect((await credentialRow(world, row.id)).status).toBe('connected')
    world.clock.advance(3 * minuteMs)
    await expect(fresh(world.open.platform, row)).rejects.toMatchObject({ code: 'validation_error' })
    const expired = await credentialRow(world, row.id)
    expect(expired.status).toBe('expired')
    expect(expired.refresh_token_sealed).not.toBeNull()
    server.tokenStatus = null
    await renewEnding(world.open.platform)
    expect(await credentialRow(world, row.id)).toMatchObject({ status: 'connected', error_message: '' })
  })

  it('an app whose secret is wrong: expired, and renewed once the secret is right', async () => {
    const row = await connected()
    const setSecret = (value: string) =>
      world.call('owner', 'PUT /credentials/mill/app', { body: { values: { MILL_CLIENT_SECRET: value } } })
    await setSecret('wrong')
    world.clock.advance(58 * minuteMs)
    await renewEnding(world.open.platform)
    const expired = await credentialRow(world, row.id)
    expect(expired).toMatchObject({ status: 'expired', error_message: expect.stringContaining('invalid_client') })
    expect(expired.refresh_token_sealed).not.toBeNull()
    await setSecret(clientSecret)
    await renewEnding(world.open.platform)
    expect((await credentialRow(world, row.id)).status).toBe('connected')
  })

  it('what ended a day ago is left alone', async () => {
    const row = await connected()
    server.tokenStatus = 503
    world.clock.advance(61 * minuteMs)
    await renewEnding(world.open.platform)
    expect((await credentialRow(world, row.id)).status).toBe('expired')
    server.tokenStatus = null
    world.clock.advance(25 * 60 * minuteMs)
    await renewEnding(world.open.platform)
    expect((await credentialRow(world, row.id)).status).toBe('expired')
  })

  it('a token that cannot be renewed ends with its time', async () => {
    const row = await connected()
    await world.open.platform.db
      .updateTable('credentials')
      .set({ refresh_token_sealed: null })
      .where('id', '=', row.id)
      .execute()
    world.clock.advance(58 * minuteMs)
    await renewEnding(world.open.platform)
    expect((await credentialRow(world, row.id)).status).toBe('connected')
    world.clock.advance(3 * minuteMs)
    await renewEnding(world.open.platform)
    expect((await credentialRow(world, row.id)).status).toBe('expired')
  })

  it('client credentials are asked for again', async () => {
    const spec = specFor(server, { flow: 'client_credentials', scopes: ['read'], userinfo_url: undefined })
    await givenProvider(world, { slug: 'robot', specs: [spec] })
    const { data } = await world.call('owner', 'POST /credentials', { body: { provider: 'robot', type: 'oauth' } })
    const row = await findById(world.open.platform.db, data.credential.id)
    world.clock.advance(58 * minuteMs)
    expect(row && (await fresh(world.open.platform, row)).token_generation).toBe((row?.token_generation ?? 0) + 1)
  })
})

/** An unknown refresh token, sealed for this row. */
const connectedElsewhere = async (id: string) => {
  const row = await credentialRow(world, id)
  const { db, keyring } = world.open.platform
  return { sealed: await keyring.seal(db, row.team_id, 'of-nobody', `credentials/${id}/refresh_token`) }
}
