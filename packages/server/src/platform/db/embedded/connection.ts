// Connection string and first queries of the embedded server.
import pg from 'pg'
import { roleName } from './initialise.ts'
import { portNumber } from './postmaster-file.ts'

const databaseName = 'millrace'

/** For `pg` and libpq. The socket folder takes the place of the host name. */
export const connectionString = (socketDir: string, password: string, database: string = databaseName): string =>
  `postgresql://${roleName}:${password}@/${database}?host=${encodeURIComponent(socketDir)}&port=${portNumber}`

export const withClient = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // If the server ends between two queries, the next query fails.
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

/** Ends sessions of a server process that was killed, because they may still hold locks. */
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

/**
 * Returns the server's version after creating our database if it is missing, which happens when a first start was
 * killed.
 */
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
