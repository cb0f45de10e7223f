// A separate database for a server under test, in the PostgreSQL of the test run. Gives tests access to rows, for
// example to expire a code.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

export type TestDatabase = {
  /** For the setting DATABASE_URL. */
  readonly url: string
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** Call it after the server has stopped. */
  drop(): Promise<void>
}

/** The socket's folder is in the query; the host is required by the syntax but not used. */
const urlOf = (database: string): string =>
  inject('postgres').replace(/^(\w+:\/\/[^@]*@)[^/]*\/[^?]*/, `$1localhost/${database}`)

export const createDatabase = async (): Promise<TestDatabase> => {
  const name = `e2e_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: inject('postgres') })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = urlOf(name)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    url,
    query: (text, values) => client.query(text, values),
    drop: async () => {
      await client.end()
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
