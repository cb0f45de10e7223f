// What only one may do at a time, where there is no row yet that could be locked.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Until the end of this transaction, whoever names the same thing waits. */
export const aloneWith = async (db: Db, thing: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${thing}, 0))`.execute(db)
}

/** What `lock` finds. Where there is none yet, whoever makes the first one at this moment is waited for. */
export const lockedOrAlone = async <Row>(
  db: Db,
  thing: string,
  lock: () => Promise<Row | undefined>,
): Promise<Row | undefined> => {
  const held = await lock()
  if (held) return held
  await aloneWith(db, thing)
  return lock()
}
