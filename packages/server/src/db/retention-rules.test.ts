// Guards: every table of the schema is kept from growing for ever by a rule, the rule is carried out by something that
// runs, and the operator can read it. A year of history, swept as the server sweeps it, stays within the size of what is
// kept: HISTORY_ROWS sets how many rows of each kind a day brings.
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { features } from '../app.ts'
import { commands } from '../operator/commands.ts'
import { finish, givenApp, run } from '../tasks/testing/given.ts'
import { createWorld, type World } from '../testing/world.ts'
import { retentionRules } from './retention-rules.ts'

const keptDays = 30
const rowsPerDay = Number(process.env.HISTORY_ROWS ?? 4)
const stepDays = 15
const batchRows = 500
const day = 24 * 3600_000
const keep = String(keptDays)

let world: World
beforeAll(async () => {
  world = await createWorld({
    settings: { KEEP_RUNS_DAYS: keep, KEEP_AUDIT_DAYS: keep, KEEP_LEDGER_DAYS: keep },
  })
})
afterAll(() => world?.close())

const crons = () => features.flatMap((feature) => feature.crons?.(world.open.platform) ?? [])
const rules = Object.entries(retentionRules)

it('every table of the schema has a rule, and no rule is for a table that is gone', async () => {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'`.execute(
    world.open.platform.db,
  )
  expect(rules.map(([name]) => name).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

it('what sweeps is there and runs by the clock; what goes with another table goes with one that is swept or deleted', () => {
  const known = new Set(['bus', ...crons().map(({ name }) => name)])
  for (const [table, rule] of rules) {
    if (rule.kind === 'swept') expect(known, table).toContain(rule.cron)
    if (rule.kind === 'with') expect(['swept', 'people'], table).toContain(retentionRules[rule.table].kind)
  }
})

it('the operator reads the rule of every table that grows', async () => {
  const page = await readFile(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  for (const [table, rule] of rules) if (rule.kind !== 'bounded') expect(page, table).toContain(`\`${table}\``)
  const { json } = await (commands.storage?.run(world.open, { positionals: [], options: {} }) ?? Promise.reject())
  const { tables } = json as { tables: { name: string; rule: string }[] }
  expect(tables.filter(({ name, rule }) => name !== 'schema_migrations' && rule === '')).toEqual([])
})

describe('a year', () => {
  vi.setConfig({ testTimeout: 3_600_000 })
  const grown = ['tasks', 'task_log_chunks', 'trigger_fires', 'audit_log', 'transactions', 'ledger_entries'] as const

  const writtenColumns = async (table: string) => {
    const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`.execute(
      world.open.platform.db,
    )
    return sql.join(rows.map(({ name }) => sql.ref(name)))
  }

  const bring = async (template: string, rows: number): Promise<void> => {
    const { db } = world.open.platform
    const at = world.clock.now().toISOString()
    const columns = await writtenColumns('tasks')
    await sql`insert into tasks (${columns}) select ${columns} from (
        select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()::text, 'is_featured', false,
          'created_at', ${at}::text, 'finished_at', ${at}::text))).*
        from tasks t, generate_series(1, ${rows}::int) where t.id = ${template}) copies`.execute(db)
    await sql`insert into task_log_chunks (task_id, log_type, content)
      select id, 1, repeat(md5(id), 8) from tasks where finished_at = ${at}::timestamptz and id <> ${template}`.execute(
      db,
    )
    await sql`insert into trigger_fires (id, trigger_id, team_id, status, kind, payload, available_at, created_at, updated_at)
      select gen_random_uuid()::text, 'trigger', ${world.team.id}, 'success', 'hook', '{"a": 1}', ${at}::timestamptz,
        ${at}::timestamptz, ${at}::timestamptz from generate_series(1, ${rows}::int)`.execute(db)
    await sql`select audit_append(gen_random_uuid()::text, ${at}::timestamptz, ${world.team.id}, 'user', 'key', 'key', 'action',
      'type', 'id', '{"name": "value"}', '203.0.113.1', 'agent/1.0') from generate_series(1, ${rows}::int)`.execute(db)
    await sql`select ledger_post(gen_random_uuid()::text, ${world.team.id}, 'grant', 'user', '', '', '', '', ${at}::timestamptz,
      jsonb_build_array(jsonb_build_array('platform', 'platform', -1), jsonb_build_array('workspace', ${world.team.id}::text, 1)))
      from generate_series(1, ${rows}::int)`.execute(db)
  }

  const sizes = async () => {
    const { rows } = await sql<{
      rows: number
      bytes: number
    }>`select sum(n)::bigint as rows, sum(bytes)::bigint as bytes from (${sql.join(
      grown.map(
        (table) =>
          sql`select count(*) as n, pg_total_relation_size(${table}::text::regclass) as bytes from ${sql.table(table)}`,
      ),
      sql` union all `,
    )}) t`.execute(world.open.platform.db)
    return rows[0] ?? { rows: 0, bytes: 0 }
  }

  it('of history stays within what is kept', async () => {
    const { db } = world.open.platform
    await sql`insert into entitlements (id, team_id, resource, type, enabled, unlimited, "limit", source)
      values ('kept', ${world.team.id}, 'retention_days', 'limit', true, false, ${keptDays}, 'override')`.execute(db)
    await world.call('owner', 'GET /billing')
    const template = await run(world, await givenApp(world))
    await finish(world, template.id)
    await sql`update tasks set is_featured = true where id = ${template.id}`.execute(db)
    const sweeps = crons().filter(({ name }) =>
      ['tasks_retention', 'triggers_sweep', 'audit.retention', 'ledger.retention'].includes(name),
    )
    let early = await sizes()
    for (let passed = 0; passed < 365; passed += stepDays) {
      // No statement takes long, however many rows there are.
      for (let left = rowsPerDay * stepDays; left > 0; left -= batchRows) {
        await bring(template.id, Math.min(left, batchRows))
        world.clock.advance(1_000)
      }
      world.clock.advance(stepDays * day)
      for (const { handler } of sweeps) await handler({})
      // As the database does by itself, sooner or later.
      for (const table of grown) await sql`vacuum ${sql.table(table)}`.execute(db)
      if (passed <= 2 * keptDays) early = await sizes()
    }
    const late = await sizes()
    console.info(
      `a year of ${rowsPerDay} rows of each kind a day, ${keptDays} days kept: ${late.rows} rows and ${(late.bytes / 1e6).toFixed(1)} MB are left; after ${2 * keptDays} days it was ${(early.bytes / 1e6).toFixed(1)} MB`,
    )
    expect(late.rows).toBeLessThanOrEqual(grown.length * rowsPerDay * (keptDays + 2 * stepDays) * 2)
    expect(late.bytes).toBeLessThan(1.25 * early.bytes)
    expect((await commands['verify-audit']?.run(world.open, { positionals: [], options: {} }))?.failed).toBeUndefined()
    expect((await commands['verify-ledger']?.run(world.open, { positionals: [], options: {} }))?.failed).toBeUndefined()
  })
})
