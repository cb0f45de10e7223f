// Short reads share a connection: reads of one turn of the event loop leave in one write and cause one wake-up on both
// sides. With one connection each, that overhead would exceed the cost of the reads.
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { NamedQuery } from './named-query.ts'

/** A connection is shared for this time only, so that later reads do not wait behind one that hangs. */
const sharedForMs = 100

type Reader = {
  readonly client: Promise<pg.PoolClient>
  readonly sinceMs: number
  asking: number
  /** The failure may be caused by the connection, so it is not reused, as with other statements. */
  hasFailed: boolean
}

export type SharedReads = (query: NamedQuery) => Promise<pg.QueryResult>

export const createSharedReads = (pool: pg.Pool): SharedReads => {
  let reader: Reader | null = null
  const corked = new WeakSet<Duplex>()

  const openReader = (): Reader => {
    const nowMs = performance.now()
    if (!reader || nowMs - reader.sinceMs > sharedForMs)
      reader = { client: pool.connect(), sinceMs: nowMs, asking: 0, hasFailed: false }
    return reader
  }

  const sendTogether = (client: pg.PoolClient, query: NamedQuery): Promise<pg.QueryResult> => {
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
    if (!corked.has(stream)) {
      corked.add(stream)
      stream.cork()
      setImmediate(() => {
        corked.delete(stream)
        stream.uncork()
      })
    }
    return query.over(client)
  }

  return async (query) => {
    const ownReader = openReader()
    ownReader.asking += 1
    try {
      return await sendTogether(await ownReader.client, query)
    } catch (error) {
      ownReader.hasFailed = true
      throw error
    } finally {
      ownReader.asking -= 1
      if (reader === ownReader && (ownReader.asking === 0 || ownReader.hasFailed)) reader = null
      if (ownReader.asking === 0)
        ownReader.client.then((client) => client.release(ownReader.hasFailed)).catch(() => undefined)
    }
  }
}
