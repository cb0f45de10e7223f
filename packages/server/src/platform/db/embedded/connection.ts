// How clients reach the embedded server, and the first questions we ask it.
import pg from 'pg'
import { roleName } from './initialise.ts'
import { portNumber } from './postmaster-file.ts'

const databaseName = 'millrace'

/** Understood by `pg` and by libpq. The folder of the socket stands where a host name would. */
export const connectionString = (socketDir: string, password: string, database: string = databaseName): string =>
  `postgresql://${roleName}:${password}@/${database}?host=${encodeURIComponent(socketDir)}&port=${portNumber}`

export const withClient = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // A server that goes away between two questions shows up as the failure of the next question.
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

export const readVersion = (url: string): Promise<string> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? 'unknown'
  })

/** Sessions of a server process that was killed: nobody will read their answers, but they may still hold locks. */
export const endOtherSessions = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`)
  })

export const hasSqlState = (error: unknown, state: string): boolean =>
  error instanceof Error && 'code' in error && error.code === state

const INVALID_CATALOG_NAME = '3D000'
const DUPLICATE_DATABASE = '42P04'

const createDatabase = (socketDir: string, password: string): Promise<void> =>
  withClient(connectionString(socketDir, password, 'postgres'), async (client) => {
    await client.query(`create database ${databaseName}`).catch((error: unknown) => {
      if (!hasSqlState(error, DUPLICATE_DATABASE)) throw error
    })
  })

/** The server's version, once our database exists in it: a first start may have been killed before it did. */
export const openDatabase = async (socketDir: string, password: string, isNew: boolean): Promise<string> => {
  const url = connectionString(socketDir, password)
  if (isNew) await createDatabase(socketDir, password)
  try {
    return await readVersion(url)
  } catch (error) {
    if (!hasSqlState(error, INVALID_CATALOG_NAME)) throw error
  }
  await createDatabase(socketDir, password)
  return readVersion(url)
}
