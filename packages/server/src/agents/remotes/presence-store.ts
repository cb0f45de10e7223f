// SQL of whether a remote is there.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** Whether there is any remote, or was one: most installations have none. */
export const knownRemotes = sql`select 1 from remotes`

/** The number of the new connection; undefined when the remote is gone. */
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

/** Only the newest connection's end means anything. */
export const disconnect = async (db: Db, id: string, connection: number, now: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('remotes')
    .set(disconnected(now))
    .where('id', '=', id)
    .where('connection_number', '=', connection)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Of a server that is gone nobody holds a socket, whatever the rows say. */
export const forgetConnections = async (db: Db, now: string): Promise<void> => {
  await db
    .updateTable('remotes')
    .set(disconnected(now))
    .where('connected', '=', true)
    .where(sql<boolean>`not exists (select from servers where servers.id = remotes.server_id)`)
    .execute()
}

/** Undefined when this is not the remote's connection any more. */
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

/** Of those that said nothing since: they count as gone, and come back with their next word. */
export const loseSilent = async (db: Db, since: string, now: string): Promise<void> => {
  await db
    .updateTable('remotes')
    .set({ status: 'disconnected', disconnected_at: now, updated_at: now })
    .where('status', '=', 'running')
    .where('heartbeat_at', '<=', since)
    .where('deleted_at', 'is', null)
    .execute()
}

export const finaliseLost = (db: Db, since: string, now: string): Promise<{ id: string }[]> =>
  db
    .updateTable('remotes')
    .set({ status: 'stopped', updated_at: now })
    .where('status', '=', 'disconnected')
    .where('disconnected_at', '<=', since)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute()
