// Guarantees: pipelined statements run in order, and a failure fails the transaction with its reason and without
// effects.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { posted, prepared } from './prepared.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  await sql`create table notes (id int primary key)`.execute(world.open.platform.db)
})
afterAll(() => world?.close())

const note = posted((_db, id: number) => sql`insert into notes (id) values (${id}::int)`)
const notes = prepared<readonly [], { id: number }>((_db) => sql<{ id: number }>`select id from notes order by id`)
const ids = async (db = world.open.platform.db) => (await notes(db)).map(({ id }) => id)

const duplicate = { code: '23505' }
const inTransaction = <T>(work: (db: World['open']['platform']['db']) => Promise<T>) =>
  world.open.platform.db.transaction().execute(work)

it('later statements see it, and it is committed', async () => {
  const seen = await inTransaction(async (db) => {
    await note(db, 1)
    await note(db, 2)
    return ids(db)
  })
  expect(seen).toEqual([1, 2])
  await inTransaction((db) => note(db, 3))
  expect(await ids()).toEqual([1, 2, 3])
})

it('a failure is thrown by the commit', async () => {
  const failing = inTransaction(async (db) => {
    await note(db, 4)
    await note(db, 1)
  })
  await expect(failing).rejects.toMatchObject(duplicate)
  expect(await ids()).toEqual([1, 2, 3])
})

it('a failure is thrown by the next statement', async () => {
  let reached = false
  const failing = inTransaction(async (db) => {
    await note(db, 1)
    await ids(db)
    reached = true
  })
  await expect(failing).rejects.toMatchObject(duplicate)
  expect(reached).toBe(false)
})

it('a rollback keeps the error of its cause', async () => {
  const failing = inTransaction(async (db) => {
    await note(db, 1)
    throw new Error('enough')
  })
  await expect(failing).rejects.toThrow('enough')
})

it('outside of a transaction it is awaited', async () => {
  await expect(note(world.open.platform.db, 1)).rejects.toMatchObject(duplicate)
})

it('the connection is usable after a failure', async () => {
  const left = await Promise.all(
    Array.from({ length: 20 }, () =>
      inTransaction(async (db) => {
        await note(db, 2)
      }).catch(() => ids()),
    ),
  )
  expect(left).toEqual(Array.from({ length: 20 }, () => [1, 2, 3]))
})
