// SQL of live sockets.
import type { SocketOutcome } from '@millrace/contract/sockets'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

export type SocketRow = Selectable<Database['live_sockets']>

export const insertSocket = async (db: Db, socket: Insertable<Database['live_sockets']>): Promise<void> => {
  await db.insertInto('live_sockets').values(socket).execute()
}

export const findSocket = (db: Db, id: string): Promise<(SocketRow & { team_org_id: string | null }) | undefined> =>
  db
    .selectFrom('live_sockets')
    .selectAll('live_sockets')
    .select(teamOrg('live_sockets'))
    .where(idMatches('live_sockets.id', id))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const findSocketOfTask = (db: Db, taskId: string) =>
  db
    .selectFrom('live_sockets')
    .select(['id', 'task_id', 'status'])
    .where('task_id', '=', taskId)
    .limit(1)
    .executeTakeFirst()

export const markOpen = async (db: Db, id: string, now: string): Promise<void> => {
  await db
    .updateTable('live_sockets')
    .set({ status: 'open', paired_at: now, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

/** A socket always has the visibility of its task. */
export const showAsTasks = async (db: Db, taskIds: readonly string[]): Promise<void> => {
  await sql`
    update live_sockets set visibility = tasks.visibility, updated_at = tasks.updated_at
    from tasks where tasks.id = live_sockets.task_id and tasks.id = any(${[...taskIds]}::text[])
      and live_sockets.visibility <> tasks.visibility`.execute(db)
}

export type Counters = { client_frames: number; client_bytes: number; worker_frames: number; worker_bytes: number }

/** The first recorded outcome stays; the counters are always written. */
export const markClosed = async (
  db: Db,
  id: string,
  end: { outcome: SocketOutcome; code: number; reason: string; counters: Counters },
  now: string,
): Promise<void> => {
  await sql`
    update live_sockets set status = 'closed', updated_at = ${now}::timestamptz,
      ended_at = coalesce(ended_at, ${now}::timestamptz), outcome = coalesce(outcome, ${end.outcome}),
      close_code = coalesce(close_code, ${end.code}), close_reason = coalesce(close_reason, ${end.reason}),
      client_frames = ${end.counters.client_frames}, client_bytes = ${end.counters.client_bytes},
      worker_frames = ${end.counters.worker_frames}, worker_bytes = ${end.counters.worker_bytes}
    where id = ${id}`.execute(db)
}

/** Closes the socket of a task that has ended. Returns the sockets that were not closed yet. */
export const closeWithTask = async (db: Db, taskId: string, now: string): Promise<{ id: string }[]> => {
  const { rows } = await sql<{ id: string }>`
    update live_sockets set status = 'closed', ended_at = ${now}::timestamptz, updated_at = ${now}::timestamptz, close_code = 1000,
      close_reason = '', outcome = case when paired_at is null then 'never_paired' else 'task_ended' end
    where task_id = ${taskId} and status <> 'closed' returning id`.execute(db)
  return rows
}

/** Closes sockets left open by a server that no longer exists. */
export const closeAbandoned = async (db: Db, now: string): Promise<void> => {
  await db
    .updateTable('live_sockets')
    .set({ status: 'closed', ended_at: now, updated_at: now, outcome: 'drained', close_code: 1012, close_reason: '' })
    .where('status', '=', 'open')
    .where(isAbandoned)
    .execute()
}

const isAbandoned = sql<boolean>`not exists (select from servers where servers.id = live_sockets.server_id)`

/** Returns the server on which both ends connect: the first server that received one, while it is alive. */
export const claimSocket = async (db: Db, id: string, serverId: string): Promise<string> => {
  const { rows } = await sql<{ server_id: string }>`
    update live_sockets set server_id = case when ${isAbandoned} then ${serverId} else server_id end
    where id = ${id} returning server_id`.execute(db)
  return rows[0]?.server_id ?? serverId
}

export const softDelete = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('live_sockets').set({ deleted_at: now }).where('id', '=', id).execute()
}

/** Returns the number of deleted sockets. */
export const deleteClosedBefore = async (db: Db, teamId: string, before: string, limit: number): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    delete from live_sockets where id in (
      select id from live_sockets
      where team_id = ${teamId} and status = 'closed' and ended_at < ${before}::timestamptz limit ${limit})
    returning id`.execute(db)
  return rows.length
}

/** Base query of the list. */
export const selectSockets = (db: Db) =>
  db.selectFrom('live_sockets').selectAll('live_sockets').where('live_sockets.deleted_at', 'is', null)
