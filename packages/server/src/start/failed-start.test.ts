// Guarantees: a server that cannot start leaves no loop, no connection and no server row behind.
import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applicationName } from '#platform/fleet/membership.ts'
import { createWorld, type World } from '../testing/world.ts'
import { openPlatform } from './platform.ts'
import { createServer } from './server.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const openSecond = () =>
  openPlatform({
    settings: { ...world.open.platform.settings, DATABASE_URL: world.connectionString },
    connectionString: world.connectionString,
    log: pino({ level: 'silent' }),
    print: () => {},
    maxConnections: 2,
    isServer: true,
  })

const leftOf = async (serverId: string) => {
  const { db } = world.open.platform
  const name = applicationName(serverId)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where application_name = ${name}`.execute(db)
  const servers = await db.selectFrom('servers').select('id').where('id', '=', serverId).execute()
  return { connections: rows[0]?.count, servers: servers.length }
}

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

it('when the last step, starting jobs, fails', async () => {
  const before = timers()
  const open = await openSecond()
  const { id } = open.platform.server
  await open.database.jobPool.end()
  await expect(createServer(open, { joins: true })).rejects.toThrow()
  expect((await leftOf(id)).servers).toBe(0)
  await open.close().catch(() => undefined)
  await expect.poll(async () => await leftOf(id)).toEqual({ connections: 0, servers: 0 })
  await expect.poll(timers).toBeLessThanOrEqual(before)
})
