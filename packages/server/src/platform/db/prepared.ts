// Queries that are compiled once and run with different values, for statements of every request or run. Building them
// each time would take longer than the database needs to answer.
import type { CompiledQuery } from 'kysely'
import { type Db, queryInPool, statementName } from './database.ts'
import { pipelineStatement } from './pipelining.ts'

/** A query of the query builder or a SQL template. */
type Query<Row> = { compile(db: Db): CompiledQuery<Row> }

/** Placeholder for the value at `index` during compilation. */
const placeholder = (index: number): string => `\u0001placeholder ${index}`

type Options = {
  /** Called once with the SQL text. */
  onCompiled?: (text: string) => void
  isShort?: boolean
}

/** `build` must not depend on the values, because it gets placeholders. */
export const prepared = <V extends readonly unknown[], Row>(
  build: (db: Db, ...values: V) => Query<Row>,
  { onCompiled = () => {}, isShort = false }: Options = {},
): ((db: Db, ...values: V) => Promise<Row[]>) => {
  let compiled: CompiledQuery<Row> | undefined
  let positions: readonly (number | null)[] = []

  const compile = (db: Db, count: number): CompiledQuery<Row> => {
    const stand = Array.from({ length: count }, (_, index) => placeholder(index))
    const query = build(db, ...(stand as unknown as V)).compile(db)
    positions = query.parameters.map((parameter) => {
      const index = stand.indexOf(parameter as string)
      return index < 0 ? null : index
    })
    onCompiled(query.sql)
    return query
  }

  return async (db, ...values) => {
    compiled ??= compile(db, values.length)
    const parameters = compiled.parameters.map((fixed, at) => {
      const index = positions[at]
      return index === null || index === undefined ? fixed : values[index]
    })
    // Without a transaction, only the connection of the query builder is needed.
    const { sql: text } = compiled
    const sent = queryInPool<Row & object>(db, { name: statementName(text), text, values: parameters, isShort })
    return sent ?? (await db.executeQuery<Row>({ ...compiled, parameters })).rows
  }
}

/**
 * A statement without a needed result: a transaction continues without awaiting it, and a failure is thrown by the
 * transaction's next statement.
 */
export const posted = <V extends readonly unknown[]>(
  build: (db: Db, ...values: V) => Query<unknown>,
): ((db: Db, ...values: V) => Promise<void>) => {
  const run = prepared(build, { onCompiled: pipelineStatement })
  return async (db, ...values) => {
    await run(db, ...values)
  }
}

/**
 * A fast read, such as a row by its key. Outside of a transaction it shares a connection with other short reads, so a
 * slow one would delay them.
 */
export const shortRead = <V extends readonly unknown[], Row>(
  build: (db: Db, ...values: V) => Query<Row>,
): ((db: Db, ...values: V) => Promise<Row[]>) => prepared(build, { isShort: true })

/** `prepared` with named values, for statements with many of them. */
export const preparedByName = <V extends Readonly<Record<string, unknown>>, Row>(
  names: readonly (keyof V & string)[],
  build: (values: V) => Query<Row>,
): ((db: Db, values: V) => Promise<Row[]>) => {
  const run = prepared((_db, ...values: unknown[]) =>
    build(Object.fromEntries(names.map((name, index) => [name, values[index]])) as V),
  )
  return (db, values) => run(db, ...names.map((name) => values[name]))
}
