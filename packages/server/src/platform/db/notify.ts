// LISTEN/NOTIFY: sent inside a transaction, delivered to every server at commit. Used when all servers must invalidate
// a cache at once (a revoked key, a changed role), independent of the configured bus.
import { sql } from 'kysely'
import pg from 'pg'
import { guarded } from '../core/boundary.ts'
import type { Db } from './database.ts'
import { openPersistentConnection, type PersistentConnection } from './persistent-connection.ts'

export const notify = async (db: Db, channel: string, payload: string): Promise<void> => {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

export type NotifyOptions = {
  /** Interval of the health check of the connection. */
  healthCheckMs?: number
  /** The connection is lost: notifications may be missed, so dependent caches must be dropped. */
  onLost: () => void
  /** The connection is restored. Values read in between may be stale. */
  onBack: () => void
  onError: (error: unknown) => void
}

/** Listens for the lifetime of the process. */
export const listen = (
  connectionString: string,
  channels: Record<string, (payload: string) => void>,
  options: NotifyOptions,
): Promise<PersistentConnection> =>
  openPersistentConnection(connectionString, {
    ...options,
    prepare: async (client) => {
      client.on(
        'notification',
        guarded(options.onError, (message: pg.Notification) => channels[message.channel]?.(message.payload ?? '')),
      )
      for (const channel of Object.keys(channels)) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    },
  })
