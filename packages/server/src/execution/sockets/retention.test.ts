// Guarantees: a year of history stays within a known size. The sweep deletes closed live sockets and the steps of
// finished flow runs after the retention time. Unfinished ones stay, however old.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sweepFlowRuns } from '#automation/flow-runs/retention.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { sweepSockets } from './retention.ts'

/** Sockets and steps per day. RETENTION_PER_DAY=2000 simulates a year of a busy workspace. */
const perDay = Number(process.env.RETENTION_PER_DAY ?? 20)
const days = 365
/** Retention time of the free plan. */
const keptDays = 90
/** Size of a stored socket or step with its index entries, in bytes. */
const maxBytesEach = 1_500

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const sizeOf = async (table: string): Promise<number> => {
  const { db } = world.open.platform
  await sql`vacuum full ${sql.table(table)}`.execute(db)
  const { rows } = await sql<{ bytes: number }>`select pg_total_relation_size(${table})::bigint as bytes`.execute(db)
  return Number(rows[0]?.bytes)
}

const countOf = async (table: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
    world.open.platform.db,
  )
  return rows[0]?.count ?? 0
}

it('of a year of live sockets, the sweep leaves a quarter and all open ones', async () => {
  const { db } = world.open.platform
  const now = world.clock.now().toISOString()
  await sql`
    insert into live_sockets (id, team_id, user_id, task_id, status, ended_at, created_at)
    select ${newId().slice(0, -8)} || lpad(n::text, 8, '0'), ${world.team.id}, ${world.people.owner.userId}, 'task', 'closed',
      ${now}::timestamptz - make_interval(days => n % ${days}), ${now}::timestamptz - make_interval(days => n % ${days})
    from generate_series(1, ${perDay * days}) n`.execute(db)
  await sql`
    insert into live_sockets (id, team_id, user_id, task_id, status, created_at)
    values (${newId()}, ${world.team.id}, ${world.people.owner.userId}, 'task', 'open',
      ${now}::timestamptz - interval '300 days')`.execute(db)
  await sweepSockets(world.open.platform)
  expect(await countOf('live_sockets')).toBeLessThanOrEqual(perDay * (keptDays + 1) + 1)
  expect(await countOf('live_sockets')).toBeGreaterThan(perDay * (keptDays - 1))
  expect(await sizeOf('live_sockets')).toBeLessThan(perDay * (keptDays + 1) * maxBytesEach + 128 * 1024)
  const open = await db.selectFrom('live_sockets').select('id').where('status', '=', 'open').execute()
  expect(open).toHaveLength(1)
})

it('deletes the steps of flow runs that finished long ago, but not those of a running one, nor the runs', async () => {
  const { db } = world.open.platform
  const now = world.clock.now().toISOString()
  const insertRun = async (id: string, status: number, finishedAt: string | null): Promise<void> => {
    await sql`
      insert into flow_runs
        (id, team_id, user_id, flow_id, flow_version_id, graph_version, task_id, status, input, run_as, log_length, finished_at)
      values (${id}, ${world.team.id}, ${world.people.owner.userId}, 'flow', 'version', 1, 'task', ${status}, '{}', '{}', 1,
        ${finishedAt}::timestamptz)`.execute(db)
  }
  const daysAgo = (count: number): string => new Date(Date.parse(now) - count * 24 * 3600_000).toISOString()
  await insertRun('run-old', 3, daysAgo(100))
  await insertRun('run-new', 3, daysAgo(10))
  await insertRun('run-live', 1, null)
  for (const run of ['run-old', 'run-new', 'run-live'])
    await sql`insert into flow_run_events (run_id, seq, events, created_at)
      select ${run}, n, '[]', ${daysAgo(120)}::timestamptz from generate_series(1, ${perDay}) n`.execute(db)
  await sweepFlowRuns(world.open.platform)
  const left = await sql<{ run_id: string }>`select distinct run_id from flow_run_events order by 1`.execute(db)
  expect(left.rows.map(({ run_id }) => run_id)).toEqual(['run-live', 'run-new'])
  expect(await countOf('flow_runs')).toBe(3)
})
