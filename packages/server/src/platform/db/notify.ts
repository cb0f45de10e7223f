// PostgreSQL's own news channel: sent inside a transaction, delivered to every server when it commits. Used where all
// servers must forget something at once (a revoked key, a changed role), whatever bus is configured.
import { sql } from 'kysely'
import pg from 'pg'
import { guarded } from '../core/boundary.ts'
import type { Db } from './database.ts'
import { type HeldConnection, holdConnection } from './held-connection.ts'

export const notify = async (db: Db, channel: string, payload: string): Promise<void> => {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

export type NotifyOptions = {
  /** How often the connection is asked whether it still stands. */
  askMs?: number
  /** The connection is gone: news may be missed from now on, so nothing that depends on it may be kept. */
  onLost: () => void
  /** It is back. Whatever was read meanwhile may be out of date. */
  onBack: () => void
  onError: (error: unknown) => void
}

/** Listens for as long as the process lives. */
export const listen = (
  connectionString: string,
  channels: Record<string, (payload: string) => void>,
  options: NotifyOptions,
): Promise<HeldConnection> =>
  holdConnection(connectionString, {
    ...options,
    prepare: async (client) => {
      client.on(
        'notification',
        guarded(options.onError, (message: pg.Notification) => channels[message.channel]?.(message.payload ?? '')),
      )
      for (const channel of Object.keys(channels)) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    },
  })
