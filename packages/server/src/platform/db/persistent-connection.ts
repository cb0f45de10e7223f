// A single connection outside of the pool that reconnects when it breaks. For state that belongs to a connection:
// LISTEN, and advisory locks that show that a process is alive.
import pg from 'pg'

export type PersistentConnection = {
  /** Time since the start of the last query that was answered: the connection worked at least until then. */
  ageMs(): number
  /** Runs a statement; fails while disconnected. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export type PersistentConnectionOptions = {
  /** Initializes a new connection. The connection counts as established afterwards. */
  prepare(client: pg.Client): Promise<void>
  /** Interval of the health check: a machine or network that vanishes does not close its connections. */
  healthCheckMs?: number
  onLost?: () => void
  onBack?: () => void
  onError: (error: unknown) => void
}

const redialMs = 500
const dialLimitMs = 5_000
/** A server on a machine that stalls for a moment should start slowly instead of failing. */
const firstDialLimitMs = 30_000

/** Resolves when the first connection is established; throws if the first attempt fails. */
export const openPersistentConnection = async (
  connectionString: string,
  { prepare, healthCheckMs = 1_000, onLost, onBack, onError }: PersistentConnectionOptions,
): Promise<PersistentConnection> => {
  let closed = false
  /** The current client, connecting or connected. */
  let client: pg.Client | null = null
  let standing = false
  let answeredMs = 0
  let timer: NodeJS.Timeout | undefined

  const dial = async (limitMs: number): Promise<void> => {
    const next = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: limitMs })
    next.on('error', onError)
    // Stored at once, so that closing also ends a connection that is still being prepared.
    client = next
    try {
      await next.connect()
      await prepare(next)
    } catch (error) {
      await next.end().catch(() => undefined)
      throw error
    }
    // Registered only now: the failure of a connection that was never established is thrown instead.
    next.on('end', () => lost(next))
    standing = true
    answeredMs = performance.now()
    timer = setTimeout(() => checkHealth(next), healthCheckMs)
  }

  /** Serializes statements. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Row extends object>(on: pg.Client, text: string, values: readonly unknown[]): Promise<Row[]> => {
    const answer = last.then(async () => (await on.query<Row>(text, [...values])).rows)
    last = answer.catch(() => undefined)
    return answer
  }

  const checkHealth = (checked: pg.Client): void => {
    const startedMs = performance.now()
    const limit = setTimeout(() => lost(checked), Math.max(2_000, 2 * healthCheckMs))
    inTurn(checked, 'select 1', [])
      .then(() => {
        answeredMs = startedMs
        if (!closed && client === checked && standing) timer = setTimeout(() => checkHealth(checked), healthCheckMs)
      })
      .catch(() => lost(checked))
      .finally(() => clearTimeout(limit))
  }

  const lost = (lostClient: pg.Client): void => {
    if (closed || client !== lostClient || !standing) return
    standing = false
    // Statements of the lost connection are never answered; a new queue starts.
    last = Promise.resolve()
    clearTimeout(timer)
    // Not awaited, because a connection to a vanished host does not end.
    lostClient.end().catch(() => undefined)
    onLost?.()
    dialSoon()
  }

  const dialSoon = (): void => {
    timer = setTimeout(() => {
      if (closed) return
      dial(dialLimitMs).then(onBack, (error: unknown) => {
        if (closed) return
        onError(error)
        dialSoon()
      })
    }, redialMs)
  }

  await dial(firstDialLimitMs)
  return {
    ageMs: () => (standing ? performance.now() - answeredMs : Number.POSITIVE_INFINITY),
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      if (!client || !standing) throw new Error('The connection is not established')
      return inTurn<Row>(client, text, values)
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}
