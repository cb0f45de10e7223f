// Guarantees: connections opened while the database is read-only are not reused, so that no write fails afterwards.
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { type DatabaseHandle, openDatabase } from './database.ts'

let world: World
let operator: pg.Client
let opened: DatabaseHandle
beforeAll(async () => {
  world = await createWorld()
  operator = new pg.Client({ connectionString: world.connectionString })
  await operator.connect()
})
afterEach(() => opened?.close())
afterAll(async () => {
  await operator?.end()
  await world?.close()
})

const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
  const name = (await operator.query('select current_database() as name')).rows[0].name
  await operator.query(`alter database ${name} set default_transaction_read_only = ${value}`)
}
const open = (): DatabaseHandle => {
  opened = openDatabase(world.connectionString, { onError: () => undefined })
  return opened
}
const pidOf = async ({ pool }: DatabaseHandle): Promise<number> =>
  (await pool.query('select pg_backend_pid() as pid')).rows[0].pid
const write = ({ pool }: DatabaseHandle) => pool.query('update teams set name = name where false')

it('a connection that only read is not reused for a write', async () => {
  await setReadOnly('on')
  const database = open()
  const reads = await Promise.all([pidOf(database), pidOf(database), pidOf(database)])
  expect(reads).toHaveLength(3)
  await setReadOnly('off')
  for (let turn = 0; turn < 4; turn += 1) await expect(write(database)).resolves.toMatchObject({ rowCount: 0 })
})

it('a connection with a refused write is not reused', async () => {
  await setReadOnly('on')
  const database = open()
  await expect(write(database)).rejects.toMatchObject({ code: '25006' })
  await setReadOnly('off')
  await expect(write(database)).resolves.toMatchObject({ rowCount: 0 })
})

it('other connections are reused', async () => {
  const database = open()
  expect(await pidOf(database)).toBe(await pidOf(database))
})
