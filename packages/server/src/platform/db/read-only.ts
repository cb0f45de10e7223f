// Detects read-only servers: after a failover a connection may lead to a standby, or to a server that accepts no writes
// yet. Such a connection is closed after its use, so that the next use opens a new connection.
import type { EventEmitter } from 'node:events'
import pg from 'pg'

/** SQLSTATE of a write on a read-only server. */
const refusedWrite = '25006'

/** Parameters that PostgreSQL (14 and later) reports when a connection opens and when they change. */
const readOnlyParameters = new Set(['in_hot_standby', 'default_transaction_read_only'])

type Status = { parameterName: string; parameterValue: string }

const connectionOf = (client: pg.ClientBase): EventEmitter =>
  (client as unknown as { connection: EventEmitter }).connection

/** Listens before the connection opens, because the server reports its parameters then. */
export class WatchedClient extends pg.Client {
  readonly #reasons = new Set<string>()

  constructor(config?: pg.ClientConfig) {
    super(config)
    const connection = connectionOf(this)
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Status) => {
      if (!readOnlyParameters.has(parameterName)) return
      if (parameterValue === 'on') this.#reasons.add(parameterName)
      else this.#reasons.delete(parameterName)
    })
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === refusedWrite) this.#reasons.add(refusedWrite)
    })
  }

  get isReadOnly(): boolean {
    return this.#reasons.size > 0
  }
}

export const closeReadOnlyClients = (pool: pg.Pool): void => {
  // Ended before the pool decides whether to reuse it.
  pool.on('release', (_error, client) => {
    const watched = client as unknown as WatchedClient
    if (watched.isReadOnly) watched.end().catch(() => undefined)
  })
}
