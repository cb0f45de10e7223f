// SQL of execution counts.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type Executions = { readonly teamId: string; readonly month: string; readonly count: number }

/**
 * Increments and returns the count. Undefined, without an increment, when it has reached `most`; null means no limit.
 */
export const raise = async (
  db: Db,
  { teamId, month, most }: { teamId: string; month: string; most: number | null },
): Promise<number | undefined> => {
  const { rows } = await sql<{ count: number }>`
    insert into task_execution_counts as counts (team_id, month, count) values (${teamId}, ${month}, 1)
    on conflict (team_id, month) do update set count = counts.count + 1
      where ${most}::bigint is null or counts.count < ${most}::bigint
    returning count`.execute(db)
  return rows[0] && Number(rows[0].count)
}

export const findCount = async (db: Db, teamId: string, month: string): Promise<number> => {
  const row = await db
    .selectFrom('task_execution_counts')
    .select('count')
    .where('team_id', '=', teamId)
    .where('month', '=', month)
    .limit(1)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** In a fixed order, so that two servers that write at once do not deadlock. */
export const addAll = async (db: Db, executions: readonly Executions[]): Promise<void> => {
  const rows = executions.map(({ teamId, month, count }) => ({ team_id: teamId, month, count }))
  await sql`
    insert into task_execution_counts as counts (team_id, month, count)
    select team_id, month, count from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as counted (team_id text, month text, count bigint)
    where exists (select 1 from teams where teams.id = counted.team_id)
    order by team_id, month
    on conflict (team_id, month) do update set count = counts.count + excluded.count`.execute(db)
}

export const deleteBefore = async (db: Db, month: string): Promise<void> => {
  await db.deleteFrom('task_execution_counts').where('month', '<', month).execute()
}
