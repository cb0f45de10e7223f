// The connection pool and the typed query builder. Every statement is sent by name, so that PostgreSQL parses and plans
// it once per connection.
import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Database } from './schema.gen.ts'

export type Db = Kysely<Database> | Transaction<Database>

const { Pool, types } = pg

// Timestamps travel as text with microseconds; a JavaScript date would cut them to milliseconds.
const timestamptz = (text: string): string => {
  const [whole = '', fraction = ''] = text.replace(' ', 'T').replace(/\+00$/, '').split('.')
  return `${whole}.${fraction.padEnd(6, '0')}Z`
}

const parsers: Record<number, (text: string) => unknown> = {
  [types.builtins.TIMESTAMPTZ]: timestamptz,
  // Counts and microcents stay far below 2^53.
  [types.builtins.INT8]: Number,
  [types.builtins.NUMERIC]: Number,
}

const maxNamedStatements = 2000
const names = new Map<string, string>()

export const statementName = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined) return known
  // Past the bound, statements are sent unnamed: a connection keeps every named one in memory.
  if (names.size >= maxNamedStatements) return undefined
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}

const pools = new WeakMap<Db, pg.Pool>()

/** The pool behind a database handle; undefined for a transaction, which has one connection of it. */
export const poolOf = (db: Db): pg.Pool | undefined => pools.get(db)

export type DatabaseHandle = { readonly db: Kysely<Database>; readonly pool: pg.Pool; close(): Promise<void> }

export const openDatabase = (
  connectionString: string,
  { maxConnections = 16, onError }: { maxConnections?: number; onError: (error: Error) => void },
): DatabaseHandle => {
  const pool = new Pool({
    connectionString,
    max: maxConnections,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    options: '-c timezone=UTC -c datestyle=ISO -c idle_in_transaction_session_timeout=120000',
    types: { getTypeParser: (oid, format) => parsers[oid] ?? types.getTypeParser(oid, format) },
  })
  // An idle connection that breaks (a restarted database) is replaced by the pool; without a listener it would end the process.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: namedStatements(pool) }) })
  pools.set(db, pool)
  return {
    db,
    pool,
    close: async () => {
      await db.destroy()
      // The query builder leaves a pool alone that it never used itself.
      if (!pool.ending) await pool.end()
    },
  }
}

type DialectPool = Exclude<ConstructorParameters<typeof PostgresDialect>[0]['pool'], (...args: never[]) => unknown>

/** The pool as the query builder sees it: same connections, but statements with values get a name. */
const namedStatements = (pool: pg.Pool): DialectPool => ({
  options: pool.options,
  connect: async () => {
    const client = await pool.connect()
    return {
      query: ((text: unknown, values?: readonly unknown[]) => {
        if (typeof text !== 'string' || values === undefined || values.length === 0) return client.query(text as string)
        return client.query({ name: statementName(text), text, values: values as unknown[] })
      }) as never,
      release: () => client.release(),
    } as never
  },
  end: () => pool.end(),
})
