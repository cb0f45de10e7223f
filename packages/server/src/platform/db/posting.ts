// What a transaction says to the database: everything that it says in one go leaves in one write, and what nobody needs an
// answer to is not waited for. Each wait saved is a wake-up of both sides less while locks are held.
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { NamedQuery } from './named-query.ts'

type Answer = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>

const postedTexts = new Set<string>()

/** From now on this statement is not waited for inside a transaction. */
export const postStatement = (text: string): void => void postedTexts.add(text)

const unheard: Answer = { command: '', rowCount: null, rows: [] }

export type Conversation = (query: string | pg.QueryConfig | NamedQuery) => Promise<Answer>

/**
 * One transaction's way to ask, over a connection that is its own and takes statements while others are being answered. What
 * became of a statement that was not waited for comes out of the next one, at the latest out of the commit.
 */
export const conversation = (client: pg.PoolClient): Conversation => {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  let posted: Promise<Answer>[] = []

  const send = (query: string | pg.QueryConfig | NamedQuery): Promise<Answer> => {
    stream.cork()
    // Whatever follows without waiting for anybody leaves with it.
    process.nextTick(() => stream.uncork())
    return query instanceof NamedQuery ? query.over(client) : client.query(query)
  }

  return async (query) => {
    const text = typeof query === 'string' ? query : query.text
    const answer = send(query)
    if (text === 'begin' || postedTexts.has(text)) {
      answer.catch(() => undefined)
      posted.push(answer)
      return unheard
    }
    if (posted.length === 0) return answer
    const before = posted
    posted = []
    answer.catch(() => undefined)
    // Whoever takes everything back knows why.
    if (text !== 'rollback') await Promise.all(before)
    return answer
  }
}
