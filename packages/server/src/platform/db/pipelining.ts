// Pipelines the statements of a transaction: statements of one turn leave in one write, and statements without a needed
// result are not awaited. Each await removed saves one round trip while locks are held.
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { NamedQuery } from './named-query.ts'

type Answer = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>

const postedTexts = new Set<string>()

/** Marks a statement as not awaited inside a transaction. */
export const pipelineStatement = (text: string): void => void postedTexts.add(text)

const ignoredAnswer: Answer = { command: '', rowCount: null, rows: [] }

export type SendQuery = (query: string | pg.QueryConfig | NamedQuery) => Promise<Answer>

/**
 * Sends the queries of one transaction over its connection. The failure of a statement that was not awaited is thrown
 * by the next one, at the latest by the commit.
 */
export const createPipeline = (client: pg.PoolClient): SendQuery => {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  let posted: Promise<Answer>[] = []

  const send = (query: string | pg.QueryConfig | NamedQuery): Promise<Answer> => {
    stream.cork()
    // Statements that follow without an await leave in the same write.
    process.nextTick(() => stream.uncork())
    return query instanceof NamedQuery ? query.over(client) : client.query(query)
  }

  return async (query) => {
    const text = typeof query === 'string' ? query : query.text
    const answer = send(query)
    if (text === 'begin' || postedTexts.has(text)) {
      answer.catch(() => undefined)
      posted.push(answer)
      return ignoredAnswer
    }
    if (posted.length === 0) return answer
    const before = posted
    posted = []
    answer.catch(() => undefined)
    // The caller of a rollback already has its own error.
    if (text !== 'rollback') await Promise.all(before)
    return answer
  }
}
