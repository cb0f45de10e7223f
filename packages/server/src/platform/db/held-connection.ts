// One connection apart from the pool, held for as long as the process lives: when it breaks, it is dialled again. For
// what belongs to a connection itself: listening for news, holding a lock that shows that somebody lives.
import pg from 'pg'

export type HeldConnection = {
  /** How long ago a question was asked on it that has been answered since: it stood at least then. */
  ageMs(): number
  /** Runs a statement on it; fails while it does not stand. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export type HoldOptions = {
  /** Makes a new connection what it is for. It counts as standing once this is done. */
  prepare(client: pg.Client): Promise<void>
  /** How often it is asked whether it still stands: a machine or a network that vanishes says no goodbye. */
  askMs?: number
  onLost?: () => void
  onBack?: () => void
  onError: (error: unknown) => void
}

const redialMs = 500
const dialLimitMs = 5_000
/** A server that starts on a machine that stands still for a moment is better slow than gone. */
const firstDialLimitMs = 30_000

/** Resolves when the connection stands for the first time; a first failure is thrown. */
export const holdConnection = async (
  connectionString: string,
  { prepare, askMs = 1_000, onLost, onBack, onError }: HoldOptions,
): Promise<HeldConnection> => {
  let closed = false
  /** The one being dialled or standing. */
  let client: pg.Client | null = null
  let standing = false
  let answeredMs = 0
  let timer: NodeJS.Timeout | undefined

  const dial = async (limitMs: number): Promise<void> => {
    const next = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: limitMs })
    next.on('error', onError)
    // Known from the start, so that closing also ends one that is still being prepared.
    client = next
    try {
      await next.connect()
      await prepare(next)
    } catch (error) {
      await next.end().catch(() => undefined)
      throw error
    }
    // From here on only: a connection that never stood has nothing to lose, and its failure is told by the throw.
    next.on('end', () => lost(next))
    standing = true
    answeredMs = performance.now()
    timer = setTimeout(() => ask(next), askMs)
  }

  /** One statement after the other. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Row extends object>(on: pg.Client, text: string, values: readonly unknown[]): Promise<Row[]> => {
    const answer = last.then(async () => (await on.query<Row>(text, [...values])).rows)
    last = answer.catch(() => undefined)
    return answer
  }

  const ask = (asked: pg.Client): void => {
    const askedMs = performance.now()
    const limit = setTimeout(() => lost(asked), Math.max(2_000, 2 * askMs))
    inTurn(asked, 'select 1', [])
      .then(() => {
        answeredMs = askedMs
        if (!closed && client === asked && standing) timer = setTimeout(() => ask(asked), askMs)
      })
      .catch(() => lost(asked))
      .finally(() => clearTimeout(limit))
  }

  const lost = (gone: pg.Client): void => {
    if (closed || client !== gone || !standing) return
    standing = false
    // What was asked of it is never answered: the next one begins anew.
    last = Promise.resolve()
    clearTimeout(timer)
    // Not waited for: a connection into nowhere does not even end.
    gone.end().catch(() => undefined)
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
      if (!client || !standing) throw new Error('The connection does not stand')
      return inTurn<Row>(client, text, values)
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}
