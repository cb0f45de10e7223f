// SQL of the presence of remotes.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** Most installations never have a remote, so this check avoids work for them. */
export const knownRemotes = sql`select 1 from remotes`

/** The number of the new connection; undefined if the remote was deleted. */
export const connect = async (db: Db, id: string, serverId: string, now: string): Promise<number | undefined> => {
  const row = await db
    .updateTable('remotes')
    .set({
      status: 'running',
      connected: true,
      server_id: serverId,
      connection_number: sql`connection_number + 1`,
      heartbeat_at: now,
      disconnected_at: null,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('connection_number')
    .executeTakeFirst()
  return row?.connection_number
}

const disconnected = (now: string) => ({
  connected: false,
  disconnected_at: now,
  updated_at: now,
  status: sql<'disconnected'>`case when status = 'running' then 'disconnected' else status end`,
})

/** Only the end of the newest connection counts. */
export const disconnect = async (db: Db, id: string, connection: number, now: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('remotes')
    .set(disconnected(now))
    .where('id', '=', id)
    .where('connection_number', '=', connection)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The sockets of a stopped server are closed, so its connections are cleared. */
export const clearConnections = async (db: Db, now: string): Promise<void> => {
  await db
    .updateTable('remotes')
    .set(disconnected(now))
    .where('connected', '=', true)
    .where(sql<boolean>`not exists (select from servers where servers.id = remotes.server_id)`)
    .execute()
}

/** Undefined if this is no longer the remote's connection. */
export const beat = async (db: Db, id: string, connection: number, now: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('remotes')
    .set({
      heartbeat_at: now,
      disconnected_at: null,
      status: 'running',
    })
    .where('id', '=', id)
    .where('connection_number', '=', connection)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Marks remotes as lost that sent nothing since; their next frame restores them. */
export const loseSilent = async (db: Db, since: string, now: string): Promise<void> => {
  await db
    .updateTable('remotes')
    .set({ status: 'disconnected', disconnected_at: now, updated_at: now })
    .where('status', '=', 'running')
    .where('heartbeat_at', '<=', since)
    .where('deleted_at', 'is', null)
    .execute()
}

export const finalizeLost = (db: Db, since: string, now: string): Promise<{ id: string }[]> =>
  db
    .updateTable('remotes')
    .set({ status: 'stopped', updated_at: now })
    .where('status', '=', 'disconnected')
    .where('disconnected_at', '<=', since)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute()
