// Guarantees: every table has a retention rule, the rule is implemented by a running job, and the documentation lists
// it. A year of history, swept as the server sweeps it, stays within the size of the retained rows. HISTORY_ROWS sets
// the rows of each kind per day.
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { features } from '#start/app.ts'
import { commands } from '#start/operator/commands.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { retentionRules } from './retention-rules.ts'
import { bringHistory, givenHistory, grownTables, historySize, historySweeps } from './testing/history.ts'

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

it('every table of the schema has a rule, and every rule has a table', async () => {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'`.execute(
    world.open.platform.db,
  )
  expect(rules.map(([name]) => name).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

it('every sweep is a scheduled cron, and dependent tables depend on one that is swept or deleted', () => {
  const known = new Set(['bus', ...crons().map(({ name }) => name)])
  for (const [table, rule] of rules) {
    if (rule.kind === 'swept') expect(known, table).toContain(rule.cron)
    if (rule.kind === 'with') expect(['swept', 'people'], table).toContain(retentionRules[rule.table].kind)
  }
})

it('the documentation lists the rule of every table that grows', async () => {
  const page = await readFile(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8')
  for (const [table, rule] of rules) if (rule.kind !== 'bounded') expect(page, table).toContain(`\`${table}\``)
  const { json } = await (commands.storage?.run(world.open, { positionals: [], options: {} }) ?? Promise.reject())
  const { tables } = json as { tables: { name: string; rule: string }[] }
  expect(tables.filter(({ name, rule }) => name !== 'schema_migrations' && rule === '')).toEqual([])
})

describe('a year', () => {
  vi.setConfig({ testTimeout: 3_600_000 })
  it('of history stays within the retained size', async () => {
    const { db } = world.open.platform
    const template = await givenHistory(world, keptDays)
    const sweeps = crons().filter(({ name }) => historySweeps.includes(name))
    let early = await historySize(world)
    for (let passed = 0; passed < 365; passed += stepDays) {
      // No statement may take long, whatever the number of rows.
      for (let left = rowsPerDay * stepDays; left > 0; left -= batchRows) {
        await bringHistory(world, template, Math.min(left, batchRows))
        world.clock.advance(1_000)
      }
      world.clock.advance(stepDays * day)
      for (const { handler } of sweeps) await handler({})
      // The database vacuums by itself sooner or later.
      for (const table of grownTables) await sql`vacuum ${sql.table(table)}`.execute(db)
      if (passed <= 2 * keptDays) early = await historySize(world)
    }
    const late = await historySize(world)
    console.info(
      `a year of ${rowsPerDay} rows of each kind a day, ${keptDays} days kept: ${late.rows} rows and ${(late.bytes / 1e6).toFixed(1)} MB are left; after ${2 * keptDays} days it was ${(early.bytes / 1e6).toFixed(1)} MB`,
    )
    expect(late.rows).toBeLessThanOrEqual(grownTables.length * rowsPerDay * (keptDays + 2 * stepDays) * 2)
    expect(late.bytes).toBeLessThan(1.25 * early.bytes)
    expect((await commands['verify-audit']?.run(world.open, { positionals: [], options: {} }))?.failed).toBeUndefined()
    expect((await commands['verify-ledger']?.run(world.open, { positionals: [], options: {} }))?.failed).toBeUndefined()
  })
})
