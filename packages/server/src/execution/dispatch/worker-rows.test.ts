// Guarantees: no index of `workers` contains a column that changes with every run, so that rows are updated in place
// and leave no dead index entries (migration 0147).
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'

const changesWithEveryRun = ['status', 'task_id', 'idle_since', 'app_id', 'app_version_id', 'warm_apps', 'updated_at']

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('no index contains a column that every run changes', async () => {
  const { rows } = await sql<{ index: string; column: string }>`
    select i.indexrelid::regclass::text as index, a.attname as column
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid
      and (a.attnum = any(i.indkey) or pg_get_expr(i.indpred, i.indrelid) ~ ('\\m' || a.attname || '\\M'))
    where i.indrelid = 'workers'::regclass`.execute(world.open.platform.db)
  expect(rows.map(({ column }) => column)).toContain('engine_id')
  expect(rows.filter(({ column }) => changesWithEveryRun.includes(column))).toEqual([])
})
