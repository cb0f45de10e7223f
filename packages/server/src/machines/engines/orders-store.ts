// SQL of the orders that engines must have received according to the rows, for all engines whose sockets one server
// holds.
import { sql } from 'kysely'
import { liveStatuses, statusCode } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'

export const findConnectedEngines = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('engines')
    .select(['id', 'status', 'own_drain', 'asked_update', 'connection_number', 'deleted_at'])
    .where('id', 'in', [...ids])
    .execute()

export type CancellingRow = { id: string; attempt: number; engine_id: string; left_ms: number }

/** `left_ms` is the time until the server ends the task by itself. */
export const findCancelling = async (db: Db, engineIds: readonly string[], now: string): Promise<CancellingRow[]> => {
  const { rows } = await sql<CancellingRow>`
    select id, attempt, engine_id,
      greatest(0, extract(epoch from cancel_deadline - ${now}::timestamptz) * 1000)::int as left_ms
    from tasks where engine_id = any(${engineIds}::text[]) and status between ${liveStatuses}
      and status = ${statusCode('cancelling')} and cancel_deadline is not null`.execute(db)
  return rows
}

/** Those of the tasks that still run on an engine. */
export const findLive = async (db: Db, ids: readonly string[]): Promise<{ id: string; attempt: number }[]> => {
  const { rows } = await sql<{ id: string; attempt: number }>`
    select id, attempt from tasks where id = any(${ids}::text[]) and status between ${liveStatuses}`.execute(db)
  return rows
}

export type EndedSession = { id: string; engine_id: string; worker_id: string }

export const findEndedSessions = async (
  db: Db,
  engineIds: readonly string[],
  since: string,
): Promise<EndedSession[]> => {
  const { rows } = await sql<EndedSession>`
    select id, engine_id, worker_id from app_sessions
    where engine_id = any(${engineIds}::text[]) and worker_id is not null and ended_at >= ${since}::timestamptz`.execute(
    db,
  )
  return rows
}
