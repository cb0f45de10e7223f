// SQL of commands that agents started.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { ExecRow } from './exec-store.ts'

export const findRunOfCall = (db: Db, callId: string): Promise<ExecRow | undefined> =>
  db.selectFrom('exec_runs').selectAll().where('tool_invocation_id', '=', callId).limit(1).executeTakeFirst()

export const findUndelivered = (db: Db, limit: number): Promise<ExecRow[]> =>
  db
    .selectFrom('exec_runs')
    .selectAll()
    .where('tool_invocation_id', 'is not', null)
    .where('told_at', 'is', null)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at')
    .limit(limit)
    .execute()

/** False if another call has already delivered the result. */
export const markDelivered = async (db: Db, id: string, now: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('exec_runs')
    .set({ told_at: now })
    .where('id', '=', id)
    .where('told_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Commands that still run although their agent's run has ended. */
export const findAbandoned = async (db: Db, limit: number): Promise<{ id: string; remote_id: string }[]> => {
  const { rows } = await sql<{ id: string; remote_id: string }>`
    select e.id, e.remote_id from exec_runs e join agent_runs a on a.id = e.agent_run_id
    where e.status in ('pending', 'running') and e.signalled_at is null and a.finished_at is not null
    limit ${limit}`.execute(db)
  return rows
}
