// Records the SQL statements that are sent while a function runs.
import pg from 'pg'

const textOf = (query: unknown): string =>
  (typeof query === 'string' ? query : String((query as { text?: unknown } | undefined)?.text ?? ''))
    .replace(/\s+/g, ' ')
    .trim()

/**
 * The statements of each transaction committed meanwhile, without its begin and end. The server's background loops use
 * no transactions, so the result does not depend on their timing.
 */
export const transactionsOf = async (work: () => Promise<unknown>): Promise<string[][]> => {
  const open = new Map<object, string[]>()
  const committed: string[][] = []
  const { query } = pg.Client.prototype
  const note = (client: object, text: string): void => {
    const pending = open.get(client)
    if (text === 'begin') open.set(client, [])
    else if (text === 'commit' && pending) committed.push(pending)
    else pending?.push(text)
    if (text === 'commit' || text === 'rollback') open.delete(client)
  }
  pg.Client.prototype.query = function noted(this: pg.Client, ...given: unknown[]) {
    note(this, textOf(given[0]))
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return committed
}
