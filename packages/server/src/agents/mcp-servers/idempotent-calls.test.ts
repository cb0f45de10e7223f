// Guarantees: with an Idempotency-Key, an operation that calls another server uses no database connection meanwhile and
// still runs once.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { startMcpServer, type TestMcpServer } from './testing/mcp-server.ts'

let world: World
let server: TestMcpServer
let slug: string
beforeAll(async () => {
  world = await createWorld()
  server = await startMcpServer()
  const body = { name: 'Tools', server_url: server.url, auth_type: 'none' }
  slug = (await world.call('owner', 'POST /mcp-servers', { body })).data.slug
})
afterAll(async () => {
  await server?.close()
  await world?.close()
})

const echo = (key: string, text: string) =>
  world.call('owner', `POST /mcps/${slug}/tools/echo`, {
    body: { arguments: { text } },
    headers: { 'idempotency-key': key },
  })

const callsSeen = () => server.asked.filter((asked) => asked === 'tools/call echo').length

/** Delays the answers of the other server until the returned function is called. */
const hold = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.held = promise
  return () => {
    server.held = null
    resolve()
  }
}

const reached = () => until(async () => server.waiting > 0)

const openTransactions = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`.execute(world.open.platform.db)
  return rows[0]?.count ?? -1
}

it('no transaction is open while another server works', async () => {
  const release = hold()
  const first = echo('k1', 'once')
  await reached()
  expect(await openTransactions()).toBe(0)
  expect(await echo('k1', 'once')).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
  expect(await echo('k1', 'other')).toMatchObject({ status: 409, code: 'idempotency_conflict' })
  release()
  const answer = await first
  expect(answer.status).toBe(200)
  const before = callsSeen()
  const again = await echo('k1', 'once')
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(again.json).toEqual(answer.json)
  expect(callsSeen()).toBe(before)
})

it('an idempotency key whose server was killed is reported as interrupted and never executed again', async () => {
  const release = hold()
  const first = echo('k2', 'killed')
  await reached()
  world.clock.advance(16 * 60_000)
  const again = await echo('k2', 'killed')
  expect(again).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
  expect(again.json.detail).toContain('was interrupted')
  release()
  await first
})

it('a rejection releases the key', async () => {
  const unknown = () =>
    world.call('owner', 'POST /mcps/nobodys/tools/echo', {
      body: { arguments: {} },
      headers: { 'idempotency-key': 'k3' },
    })
  expect((await unknown()).status).toBe(404)
  expect((await unknown()).status).toBe(404)
})
