// Short questions share a connection: what is asked within one turn of the event loop leaves in one write, and both sides wake
// up once for all of it. With a connection for each, that costs more than the answers do.
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { NamedQuery } from './named-query.ts'

/** A connection takes no more questions after this: who comes later does not wait behind one that hangs, and it is looked after. */
const sharedForMs = 100

type Reader = {
  readonly client: Promise<pg.PoolClient>
  readonly sinceMs: number
  asking: number
  /** Whatever failed may be the connection's fault: it is not used again, as with any statement of the pool. */
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
    const mine = openReader()
    mine.asking += 1
    try {
      return await sendTogether(await mine.client, query)
    } catch (error) {
      mine.hasFailed = true
      throw error
    } finally {
      mine.asking -= 1
      if (reader === mine && (mine.asking === 0 || mine.hasFailed)) reader = null
      if (mine.asking === 0) mine.client.then((client) => client.release(mine.hasFailed)).catch(() => undefined)
    }
  }
}
