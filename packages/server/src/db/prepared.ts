// A query that is built and compiled once and then run with other values: for the few reads that every request makes,
// where building the statement would cost more than the database needs to answer it.
import type { Compilable, CompiledQuery } from 'kysely'
import { type Db, poolOf, statementName } from './database.ts'

type Values = readonly (string | number | boolean)[]

/** Stands for the value at `index` while the query is compiled. */
const placeholder = (index: number): string => `\u0001placeholder ${index}`

/** `build` must not look at the values: it sees placeholders. */
export const prepared = <V extends Values, Row>(
  build: (db: Db, ...values: V) => Compilable<Row>,
): ((db: Db, ...values: V) => Promise<Row[]>) => {
  let compiled: CompiledQuery<Row> | undefined
  let positions: readonly (number | null)[] = []

  const compile = (db: Db, count: number): CompiledQuery<Row> => {
    const stand = Array.from({ length: count }, (_, index) => placeholder(index))
    const query = build(db, ...(stand as unknown as V)).compile()
    positions = query.parameters.map((parameter) => {
      const index = stand.indexOf(parameter as string)
      return index < 0 ? null : index
    })
    return query
  }

  return async (db, ...values) => {
    compiled ??= compile(db, values.length)
    const parameters = compiled.parameters.map((fixed, at) => {
      const index = positions[at]
      return index === null || index === undefined ? fixed : values[index]
    })
    // Outside a transaction nothing but the connection is needed of the query builder.
    const pool = poolOf(db)
    const { sql: text } = compiled
    const { rows } = pool
      ? await pool.query<Row & object>({ name: statementName(text), text, values: parameters })
      : await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}
