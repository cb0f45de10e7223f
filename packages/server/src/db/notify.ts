// PostgreSQL's own news channel: sent inside a transaction, delivered to every replica when it commits. Used where all
// replicas must forget something at once (a revoked key, a changed role), whatever bus is configured.
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from './database.ts'

export const notify = async (db: Db, channel: string, payload: string): Promise<void> => {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

export type NotifyListener = { close(): Promise<void> }

/**
 * Listens for as long as the process lives. After a lost connection `onGap` is called: news may have been missed, so
 * whatever was cached must be dropped.
 */
export const listen = async (
  connectionString: string,
  channels: Record<string, (payload: string) => void>,
  { onGap, onError }: { onGap: () => void; onError: (error: unknown) => void },
): Promise<NotifyListener> => {
  let closed = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString })
    next.on('notification', (message) => channels[message.channel]?.(message.payload ?? ''))
    next.on('error', onError)
    next.on('end', () => {
      if (closed) return
      onGap()
      reconnectSoon()
    })
    await next.connect()
    for (const channel of Object.keys(channels)) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    client = next
  }

  const reconnectSoon = (): void => {
    retry = setTimeout(() => {
      if (closed) return
      connect().then(onGap, (error) => {
        onError(error)
        reconnectSoon()
      })
    }, 500)
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
