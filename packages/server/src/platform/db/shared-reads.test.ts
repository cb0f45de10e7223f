// Guards: short reads that are asked together share a connection and each gets its own answer; one that hangs holds up those
// that came with it and nobody later; one that fails takes nobody with it; the connection is given back.
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

it('asked together, they share a connection, and each has its own answer', async () => {
  const { db } = world.open.platform
  const rows = (await Promise.all(Array.from({ length: 20 }, (_, value) => echo(db, value)))).flat()
  expect(rows.map(({ value }) => value)).toEqual([...Array(20).keys()])
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1)
  expect(taken()).toBe(0)
})

it('one that fails fails alone', async () => {
  const { db } = world.open.platform
  const asked = await Promise.allSettled([divide(db, 3), divide(db, 0), divide(db, 4)])
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(asked[2]).toMatchObject({ value: [{ share: 3 }] })
  expect(taken()).toBe(0)
})

it('one that hangs holds up nobody who comes later', async () => {
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

it('a connection that breaks is not asked again', async () => {
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

it('inside a transaction it sees what the transaction wrote', async () => {
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
