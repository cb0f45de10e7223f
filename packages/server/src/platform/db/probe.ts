// Queries about the database server itself.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Rejects while the database is not reachable. */
export const pingDatabase = async (db: Db): Promise<void> => {
  await sql`select 1`.execute(db)
}

export const databaseVersion = async (db: Db): Promise<{ number: number; name: string }> => {
  const { rows } = await sql<{ number: number; name: string }>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`.execute(db)
  return rows[0] ?? { number: 0, name: 'unknown' }
}

/** The clock of the database in milliseconds since the epoch. */
export const databaseTimeMs = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ ms: number }>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(db)
  return rows[0]?.ms ?? 0
}
