// Guards: what a transaction says without waiting for an answer is said in order, and where it fails the transaction fails
// with it, for its reason and with nothing left behind.
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

it('what follows sees it, and it is there once the transaction has ended', async () => {
  const seen = await inTransaction(async (db) => {
    await note(db, 1)
    await note(db, 2)
    return ids(db)
  })
  expect(seen).toEqual([1, 2])
  await inTransaction((db) => note(db, 3))
  expect(await ids()).toEqual([1, 2, 3])
})

it('a failure comes out of the commit', async () => {
  const failing = inTransaction(async (db) => {
    await note(db, 4)
    await note(db, 1)
  })
  await expect(failing).rejects.toMatchObject(duplicate)
  expect(await ids()).toEqual([1, 2, 3])
})

it('a failure comes out of the next statement', async () => {
  let reached = false
  const failing = inTransaction(async (db) => {
    await note(db, 1)
    await ids(db)
    reached = true
  })
  await expect(failing).rejects.toMatchObject(duplicate)
  expect(reached).toBe(false)
})

it('whoever gives up is told its own reason, not that of what was said before', async () => {
  const failing = inTransaction(async (db) => {
    await note(db, 1)
    throw new Error('enough')
  })
  await expect(failing).rejects.toThrow('enough')
})

it('outside a transaction it is waited for', async () => {
  await expect(note(world.open.platform.db, 1)).rejects.toMatchObject(duplicate)
})

it('a connection that failed so is as good as before', async () => {
  const left = await Promise.all(
    Array.from({ length: 20 }, () =>
      inTransaction(async (db) => {
        await note(db, 2)
      }).catch(() => ids()),
    ),
  )
  expect(left).toEqual(Array.from({ length: 20 }, () => [1, 2, 3]))
})
