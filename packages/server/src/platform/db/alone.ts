// Advisory locks for work that must not run concurrently and has no row to lock yet.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Locks the name until the end of this transaction. */
export const aloneWith = async (db: Db, thing: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${thing}, 0))`.execute(db)
}

/**
 * Returns the row that `lock` finds. Without a row, waits for a transaction that is inserting the first one and tries
 * again.
 */
export const lockedOrAlone = async <Row>(
  db: Db,
  thing: string,
  lock: () => Promise<Row | undefined>,
): Promise<Row | undefined> => {
  const row = await lock()
  if (row) return row
  await aloneWith(db, thing)
  return lock()
}
