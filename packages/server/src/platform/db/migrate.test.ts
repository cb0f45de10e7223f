// Guarantees: a migration that changes tables succeeds while the previous version writes to them in any order, without
// ending either by a deadlock.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { migrate } from './migrate.ts'

const own = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const next = '9999-next.sql'

let world: World
let folder: string
beforeAll(async () => {
  world = await createWorld()
  folder = await mkdtemp(join(tmpdir(), 'millrace-migrations-'))
  await cp(own, folder, { recursive: true })
  await writeFile(
    join(folder, next),
    'alter table apps add column next_note text; alter table triggers add column next_note text;',
  )
})
afterAll(async () => {
  await world?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const waitsFor = async (table: string): Promise<boolean> => {
  const { rows } = await sql`select 1 from pg_locks where relation = ${table}::regclass and not granted`.execute(
    world.open.platform.db,
  )
  return rows.length > 0
}

it('a migration and a transaction that would deadlock both succeed', async () => {
  const { pool } = world.open.database
  const live = await pool.connect()
  try {
    await live.query('begin')
    await live.query('lock table triggers in row exclusive mode')
    const migrating = migrate(pool, folder)
    await until(() => waitsFor('triggers'))
    await live.query('lock table apps in row exclusive mode')
    await live.query('commit')
    expect(await migrating).toEqual([next])
  } finally {
    live.release(true)
  }
})
