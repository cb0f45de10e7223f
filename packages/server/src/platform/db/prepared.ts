// A query that is built and compiled once and then run with other values: for the few statements that every request or
// every run makes, where building them would cost more than the database needs to answer.
import type { CompiledQuery } from 'kysely'
import { type Db, queryInLane, statementName } from './database.ts'
import { postStatement } from './posting.ts'

/** A query of the builder, or one written as SQL. */
type Query<Row> = { compile(db: Db): CompiledQuery<Row> }

/** Stands for the value at `index` while the query is compiled. */
const placeholder = (index: number): string => `\u0001placeholder ${index}`

type Options = {
  /** Told the text, once. */
  onCompiled?: (text: string) => void
  isShort?: boolean
}

/** `build` must not look at the values: it sees placeholders. */
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
    // Outside a transaction nothing but the connection is needed of the query builder.
    const { sql: text } = compiled
    const asked = queryInLane<Row & object>(db, { name: statementName(text), text, values: parameters, isShort })
    return asked ?? (await db.executeQuery<Row>({ ...compiled, parameters })).rows
  }
}

/**
 * A statement whose answer says nothing: a transaction goes on without it, and a failure comes out of whatever the
 * transaction asks next.
 */
export const posted = <V extends readonly unknown[]>(
  build: (db: Db, ...values: V) => Query<unknown>,
): ((db: Db, ...values: V) => Promise<void>) => {
  const run = prepared(build, { onCompiled: postStatement })
  return async (db, ...values) => {
    await run(db, ...values)
  }
}

/**
 * A read that is answered at once: a row by its key, or a few. Outside a transaction it shares a connection with others like it,
 * so that a slow one would hold them up.
 */
export const shortRead = <V extends readonly unknown[], Row>(
  build: (db: Db, ...values: V) => Query<Row>,
): ((db: Db, ...values: V) => Promise<Row[]>) => prepared(build, { isShort: true })

/** `prepared` with values by name, for statements with more of them than a reader can keep in order. */
export const preparedByName = <V extends Readonly<Record<string, unknown>>, Row>(
  names: readonly (keyof V & string)[],
  build: (values: V) => Query<Row>,
): ((db: Db, values: V) => Promise<Row[]>) => {
  const run = prepared((_db, ...values: unknown[]) =>
    build(Object.fromEntries(names.map((name, index) => [name, values[index]])) as V),
  )
  return (db, values) => run(db, ...names.map((name) => values[name]))
}
