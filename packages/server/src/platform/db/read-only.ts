// A server that only reads: after a failover a connection may lead to a standby, or to a server that takes no writes yet.
// Such a connection is given up after whatever it is used for, and the next one is dialled anew.
import type { EventEmitter } from 'node:events'
import pg from 'pg'

/** SQLSTATE of a write to a server that takes none. */
const refusedWrite = '25006'

/** What PostgreSQL (since 14) says of itself when a connection opens, and whenever it changes. */
const saysReadOnly = new Set(['in_hot_standby', 'default_transaction_read_only'])

type Status = { parameterName: string; parameterValue: string }

const connectionOf = (client: pg.ClientBase): EventEmitter =>
  (client as unknown as { connection: EventEmitter }).connection

/** Listens before the connection opens, which is when the server says what it is. */
export class WatchedClient extends pg.Client {
  readonly #reasons = new Set<string>()

  constructor(config?: pg.ClientConfig) {
    super(config)
    const connection = connectionOf(this)
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Status) => {
      if (!saysReadOnly.has(parameterName)) return
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

export const leaveReadOnly = (pool: pg.Pool): void => {
  // Ended before the pool looks whether to keep it.
  pool.on('release', (_error, client) => {
    const watched = client as unknown as WatchedClient
    if (watched.isReadOnly) watched.end().catch(() => undefined)
  })
}
