// Guarantees: concurrent short reads share a connection and each gets its own result; a hanging read delays only those
// on its connection; a failing one affects no other; the connection is released.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { shortRead } from './prepared.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const echo = shortRead(
  (_db, value: number) => sql<{ value: number; pid: number }>`select ${value}::int as value, pg_backend_pid() as pid`,
)
const waitFor = shortRead((_db, lock: number) => sql`select pg_advisory_xact_lock_shared(${lock}::bigint)`)
const divide = shortRead((_db, by: number) => sql<{ share: number }>`select 12 / ${by}::int as share`)

const lock = 77_000_036
const taken = () => {
  const { pool } = world.open.database
  return pool.totalCount - pool.idleCount
}

it('concurrent reads share a connection and get their own results', async () => {
  const { db } = world.open.platform
  const rows = (await Promise.all(Array.from({ length: 20 }, (_, value) => echo(db, value)))).flat()
  expect(rows.map(({ value }) => value)).toEqual([...Array(20).keys()])
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1)
  expect(taken()).toBe(0)
})

it('a failing read affects no other', async () => {
  const { db } = world.open.platform
  const asked = await Promise.allSettled([divide(db, 3), divide(db, 0), divide(db, 4)])
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(asked[2]).toMatchObject({ value: [{ share: 3 }] })
  expect(taken()).toBe(0)
})

it('a hanging read does not delay later ones', async () => {
  const { db } = world.open.platform
  let hanging: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(holder)
    hanging = waitFor(db, lock)
    await wait(150)
    expect(await echo(db, 7)).toMatchObject([{ value: 7 }])
  })
  await hanging
  expect(taken()).toBe(0)
})

it('a broken connection is not reused', async () => {
  const { db } = world.open.platform
  let broken: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (holder) => {
    await sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(holder)
    broken = expect(waitFor(db, lock)).rejects.toThrow()
    await wait(20)
    await sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`.execute(
      holder,
    )
    await broken
    expect(await echo(db, 8)).toMatchObject([{ value: 8 }])
  })
  expect(taken()).toBe(0)
})

it('a read inside a transaction sees its writes', async () => {
  const { db } = world.open.platform
  const namesOf = shortRead((db, id: string) => db.selectFrom('teams').select('name').where('id', '=', id))
  const undone = db.transaction().execute(async (tx) => {
    await tx.updateTable('teams').set({ name: 'within' }).where('id', '=', world.team.id).execute()
    expect(await namesOf(tx, world.team.id)).toEqual([{ name: 'within' }])
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await namesOf(db, world.team.id)).not.toEqual([{ name: 'within' }])
})
