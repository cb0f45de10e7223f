// SQL of the sessions that machines run for chats.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'

export type SessionRow = Selectable<Database['harness_sessions']>

export const insertSession = async (db: Db, session: Insertable<Database['harness_sessions']>): Promise<void> => {
  await db.insertInto('harness_sessions').values(session).execute()
}

export const findSession = (db: Db, remoteId: string, chatId: string): Promise<SessionRow | undefined> =>
  db
    .selectFrom('harness_sessions')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('remote_id', '=', remoteId)
    .limit(1)
    .executeTakeFirst()

/** Undefined if the remote has no such session, or has a newer connection. */
export const lockSession = async (
  db: Db,
  { remoteId, connection, chatId }: { remoteId: string; connection: number; chatId: string },
): Promise<SessionRow | undefined> => {
  const { rows } = await sql<SessionRow>`
    select ${columnsOf('harness_sessions', 's')} from harness_sessions s join remotes r on r.id = s.remote_id
    where s.chat_id = ${chatId} and s.remote_id = ${remoteId} and r.connection_number = ${connection}
    for update of s`.execute(db)
  return rows[0]
}

export const findOpenSessions = (db: Db, remoteId: string): Promise<SessionRow[]> =>
  db
    .selectFrom('harness_sessions')
    .selectAll()
    .where('remote_id', '=', remoteId)
    .where('status', '<>', 'closed')
    .orderBy('created_at')
    .execute()

export const changeSession = async (
  db: Db,
  chatId: string,
  change: Partial<Pick<SessionRow, 'status' | 'last_seq' | 'resume_session_id'>>,
  now: string,
): Promise<void> => {
  await db
    .updateTable('harness_sessions')
    .set({ ...change, updated_at: now })
    .where('chat_id', '=', chatId)
    .execute()
}

/** Active or opening sessions of the profile, without that of the chat. */
export const othersAtWork = async (db: Db, profileId: string, chatId: string): Promise<number> => {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from harness_sessions s join chats c on c.id = s.chat_id
    where s.profile_id = ${profileId} and s.chat_id <> ${chatId}
      and (s.status = 'opening' or (s.status = 'open' and c.active_run_id is not null))`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Reopens an ended session, resuming the agent's own session. */
export const reopen = async (db: Db, chatId: string, resumeSessionId: string, now: string): Promise<void> => {
  await db
    .updateTable('harness_sessions')
    .set({
      status: 'opening',
      attempt: sql`attempt + 1`,
      resume_session_id: resumeSessionId,
      updated_at: now,
    })
    .where('chat_id', '=', chatId)
    .where('status', '=', 'closed')
    .execute()
}

export const beginClosing = async (db: Db, chatId: string, now: string): Promise<void> => {
  await db
    .updateTable('harness_sessions')
    .set({ status: 'closing', updated_at: now })
    .where('chat_id', '=', chatId)
    .where('status', 'in', ['opening', 'open'])
    .execute()
}

/** The sessions of lost machines. */
export const openOf = (db: Db, remoteIds: readonly string[]): Promise<{ chat_id: string }[]> =>
  db
    .selectFrom('harness_sessions')
    .select('chat_id')
    .where('remote_id', '=', sql<string>`any(${remoteIds}::text[])`)
    .where('status', '<>', 'closed')
    .orderBy('chat_id')
    .execute()

/** Sessions requested long ago that the connected machine has not opened. */
export const findUnopened = async (db: Db, before: string, limit: number): Promise<{ chat_id: string }[]> => {
  const { rows } = await sql<{ chat_id: string }>`
    select s.chat_id from harness_sessions s join remotes r on r.id = s.remote_id
    where s.status = 'opening' and s.updated_at <= ${before}::timestamptz and r.connected
    order by s.updated_at limit ${limit}`.execute(db)
  return rows
}

/** Deletes the rows of deleted chats. */
export const deleteSessions = async (db: Db, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from harness_sessions where chat_id in (
      select s.chat_id from harness_sessions s
      where s.status in ('closing', 'closed') and not exists (select from chats c where c.id = s.chat_id)
      limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
