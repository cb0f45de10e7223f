// Generates history of a workspace in bulk: runs with logs, trigger events, the audit log and the ledger.
import { sql } from 'kysely'
import { finish, givenApp, run } from '#execution/tasks/testing/given.ts'
import type { World } from '../../../testing/world.ts'

export const grownTables = [
  'tasks',
  'task_log_chunks',
  'trigger_fires',
  'audit_log',
  'transactions',
  'ledger_entries',
] as const

/** The crons that delete it. */
export const historySweeps: readonly string[] = [
  'tasks_retention',
  'triggers_sweep',
  'audit.retention',
  'ledger.retention',
]

/** Sets the retention to this number of days. Returns the id of the run that is copied; that run is never deleted. */
export const givenHistory = async (world: World, keptDays: number): Promise<string> => {
  const { db } = world.open.platform
  await sql`insert into entitlements (id, team_id, resource, type, enabled, unlimited, "limit", source)
    values ('kept', ${world.team.id}, 'retention_days', 'limit', true, false, ${keptDays}, 'override')`.execute(db)
  await world.call('owner', 'GET /billing')
  const template = await run(world, await givenApp(world))
  await finish(world, template.id)
  await sql`update tasks set is_featured = true where id = ${template.id}`.execute(db)
  return template.id
}

const writtenColumns = async ({ open }: World, table: string) => {
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`.execute(open.platform.db)
  return sql.join(rows.map(({ name }) => sql.ref(name)))
}

/** Inserts this number of rows of each kind with the current time. The logs have incompressible text of this length. */
export const bringHistory = async (world: World, template: string, rows: number, logBytes = 256): Promise<void> => {
  const { db } = world.open.platform
  const at = world.clock.now().toISOString()
  const columns = await writtenColumns(world, 'tasks')
  await sql`insert into tasks (${columns}) select ${columns} from (
      select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()::text, 'is_featured', false,
        'created_at', ${at}::text, 'finished_at', ${at}::text))).*
      from tasks t, generate_series(1, ${rows}::int) where t.id = ${template}) copies`.execute(db)
  await sql`insert into task_log_chunks (task_id, log_type, content)
    select t.id, 1, (select string_agg(md5(t.id || n), '') from generate_series(1, ${Math.ceil(logBytes / 32)}::int) n)
    from tasks t where finished_at = ${at}::timestamptz and id <> ${template}`.execute(db)
  await sql`insert into trigger_fires (id, trigger_id, team_id, status, kind, payload, available_at, created_at, updated_at)
    select gen_random_uuid()::text, 'trigger', ${world.team.id}, 'success', 'hook', '{"a": 1}', ${at}::timestamptz,
      ${at}::timestamptz, ${at}::timestamptz from generate_series(1, ${rows}::int)`.execute(db)
  await sql`select audit_append(gen_random_uuid()::text, ${at}::timestamptz, ${world.team.id}, 'user', 'key', 'key', 'action',
    'type', 'id', '{"name": "value"}', '203.0.113.1', 'agent/1.0') from generate_series(1, ${rows}::int)`.execute(db)
  await sql`select ledger_post(gen_random_uuid()::text, ${world.team.id}, 'grant', 'user', '', '', '', '', ${at}::timestamptz,
    jsonb_build_array(jsonb_build_array('platform', 'platform', -1), jsonb_build_array('workspace', ${world.team.id}::text, 1)))
    from generate_series(1, ${rows}::int)`.execute(db)
}

/** Without counting rows, which is slow for large tables. */
export const historyBytes = async ({ open }: World): Promise<number> => {
  const { rows } = await sql<{ bytes: number }>`select sum(pg_total_relation_size(name::regclass))::bigint as bytes
    from unnest(${sql.val(grownTables)}::text[]) as name`.execute(open.platform.db)
  return rows[0]?.bytes ?? 0
}

export const historySize = async ({ open }: World): Promise<{ rows: number; bytes: number }> => {
  const sizes = grownTables.map(
    (table) =>
      sql`select count(*) as n, pg_total_relation_size(${table}::text::regclass) as bytes from ${sql.table(table)}`,
  )
  const { rows } = await sql<{ rows: number; bytes: number }>`select sum(n)::bigint as rows, sum(bytes)::bigint as bytes
    from (${sql.join(sizes, sql` union all `)}) t`.execute(open.platform.db)
  return rows[0] ?? { rows: 0, bytes: 0 }
}
