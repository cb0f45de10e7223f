// PostgreSQL's own news channel: sent inside a transaction, delivered to every replica when it commits. Used where all
// replicas must forget something at once (a revoked key, a changed role), whatever bus is configured.
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from './database.ts'

export const notify = async (db: Db, channel: string, payload: string): Promise<void> => {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

export type NotifyListener = { close(): Promise<void> }

export type ListenOptions = {
  /** The connection is gone: news may be missed from now on, so nothing that depends on it may be kept. */
  onLost: () => void
  /** It is back. Whatever was read meanwhile may be out of date. */
  onBack: () => void
  onError: (error: unknown) => void
}

const reconnectMs = 500

/** Listens for as long as the process lives. */
export const listen = async (
  connectionString: string,
  channels: Record<string, (payload: string) => void>,
  { onLost, onBack, onError }: ListenOptions,
): Promise<NotifyListener> => {
  let closed = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString, keepAlive: true })
    next.on('notification', (message) => channels[message.channel]?.(message.payload ?? ''))
    next.on('error', onError)
    try {
      await next.connect()
      for (const channel of Object.keys(channels)) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await next.end().catch(() => undefined)
      throw error
    }
    // From here on only: a connection that never stood has nothing to lose, and its failure is told by the throw.
    next.on('end', () => {
      if (closed) return
      onLost()
      reconnectSoon()
    })
    client = next
  }

  const reconnectSoon = (): void => {
    retry = setTimeout(() => {
      if (closed) return
      connect().then(onBack, (error) => {
        onError(error)
        reconnectSoon()
      })
    }, reconnectMs)
  }

  await connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
