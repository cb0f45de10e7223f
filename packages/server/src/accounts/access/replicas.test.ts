// Guarantees: access that is revoked on one replica is refused on every other one, although each caches credentials; a
// replica that cannot receive revocations caches nothing.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listen } from '#platform/db/notify.ts'
import { ownOrigins } from '#platform/http/cors.ts'
import { openReplica, type Replica } from '../../testing/replica.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { accessChannel, createCredentialCache } from './credential-cache.ts'
import { startAccess } from './service.ts'

const givenKey = async (world: World) => {
  const { data } = await world.call('owner', 'POST /apikeys', { body: { name: 'k' } })
  return data as { id: string; key: string }
}

describe('two servers over one database', () => {
  let world: World
  let other: Replica
  beforeAll(async () => {
    world = await createWorld()
    other = await openReplica(world)
  })
  afterAll(async () => {
    await other?.close()
    await world?.close()
  })

  const route = 'GET /entitlements'

  it('the other one remembers a key: a row changed behind its back is not noticed yet', async () => {
    const { id, key } = await givenKey(world)
    expect(await other.status(key, route)).toBe(200)
    await world.open.platform.db.deleteFrom('api_keys').where('id', '=', id).execute()
    expect(await other.status(key, route)).toBe(200)
  })

  it('a revoked key is refused there as soon as the message arrives', async () => {
    const { id, key } = await givenKey(world)
    expect(await other.status(key, route)).toBe(200)
    expect((await world.call('owner', `DELETE /apikeys/${id}`)).status).toBe(200)
    await vi.waitUntil(async () => (await other.status(key, route)) === 401, { timeout: 60_000 })
  })

  it('so is a rotated-out value without grace, while the new one works', async () => {
    const { id, key } = await givenKey(world)
    expect(await other.status(key, route)).toBe(200)
    const { data } = await world.call('owner', `POST /apikeys/${id}/rotate`, { body: { grace_seconds: 0 } })
    expect(await other.status(data.key, route)).toBe(200)
    await vi.waitUntil(async () => (await other.status(key, route)) === 401, { timeout: 60_000 })
  })
})

describe('the gate of a replica', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  /** A gate that receives revocations through its own connection and reports each one. */
  const openGate = async () => {
    const platform = {
      ...world.open.platform,
      bus: { publish: () => {}, hasListener: () => false, subscribe: () => () => {}, settled: () => undefined },
    }
    const access = startAccess(platform, ownOrigins(platform.settings))
    const heard: string[] = []
    const states: string[] = []
    const listener = await listen(
      world.connectionString,
      {
        [accessChannel]: (id) => {
          access.channels[accessChannel]?.(id)
          heard.push(id)
        },
      },
      {
        onLost: () => {
          access.eventsLost()
          states.push('lost')
        },
        onBack: () => {
          access.eventsBack()
          states.push('back')
        },
        onError: () => {},
      },
    )
    const admits = (key: string): Promise<boolean> =>
      access.gate
        .authenticate({ method: 'GET', clientIp: '127.0.0.1', headers: { authorization: `Bearer ${key}` } } as never)
        .then(
          () => true,
          () => false,
        )
    return { admits, heard, states, close: listener.close }
  }

  it('refuses a revoked key on the first request after the message', async () => {
    const gate = await openGate()
    const { id, key } = await givenKey(world)
    expect(await gate.admits(key)).toBe(true)
    await world.call('owner', `DELETE /apikeys/${id}`)
    await vi.waitUntil(() => gate.heard.includes(id), { timeout: 60_000 })
    expect(await gate.admits(key)).toBe(false)
    await gate.close()
  })

  it('hears again after a lost connection, and has forgotten what it knew before', async () => {
    const gate = await openGate()
    const { id, key } = await givenKey(world)
    expect(await gate.admits(key)).toBe(true)
    const { db } = world.open.platform
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where (query like 'listen%' or query = 'select 1') and datname = current_database()`.execute(
      db,
    )
    await db.updateTable('api_keys').set({ deleted_at: sql`now()` }).where('id', '=', id).execute()
    await vi.waitUntil(() => gate.states.includes('back'), { timeout: 60_000 })
    expect(await gate.admits(key)).toBe(false)
    await gate.close()
  })
})

describe('the cache', () => {
  const held = (credentialId: string) => ({
    actor: { credentialId, userId: `user of ${credentialId}`, teamId: 'team' } as never,
    endsAtMs: null,
    touchedMs: 0,
  })

  it('does not keep what was being loaded when something was dropped', async () => {
    const cache = createCredentialCache(() => new Date(0))
    await cache.load('a', async () => {
      cache.drop('k')
      return held('k')
    })
    expect(cache.get('a')).toBeUndefined()
  })

  it('forgets by credential, by user and by team', async () => {
    for (const [id, left] of [
      ['k1', ['b']],
      ['user of k2', ['a']],
      ['team', []],
    ] as const) {
      const cache = createCredentialCache(() => new Date(0))
      await cache.load('a', async () => held('k1'))
      await cache.load('b', async () => held('k2'))
      cache.drop(id)
      expect(['a', 'b'].filter((key) => cache.get(key))).toEqual(left)
    }
  })

  it('keeps nothing while no message can arrive', async () => {
    const cache = createCredentialCache(() => new Date(0))
    await cache.load('a', async () => held('k'))
    cache.suspend()
    expect(cache.get('a')).toBeUndefined()
    await cache.load('a', async () => held('k'))
    expect(cache.get('a')).toBeUndefined()
    cache.resume()
    await cache.load('a', async () => held('k'))
    expect(cache.get('a')).toBeDefined()
  })

  it('an entry ages out', async () => {
    let nowMs = 0
    const cache = createCredentialCache(() => new Date(nowMs))
    await cache.load('a', async () => held('k'))
    nowMs = 29_999
    expect(cache.get('a')).toBeDefined()
    nowMs = 30_000
    expect(cache.get('a')).toBeUndefined()
  })
})
