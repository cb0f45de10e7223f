// SQL of the closed segments of the audit log.
import { type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type SegmentRow = Selectable<Database['audit_segments']>

/** Any number that no other advisory lock of the server starts with. */
const closingLock = 7700_0108

/** Only one transaction at a time closes segments. */
export const lockClosing = async (db: Db): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${closingLock})`.execute(db)
}

export const findSegments = (db: Db, after: number, limit: number): Promise<SegmentRow[]> =>
  db.selectFrom('audit_segments').selectAll().where('to_seq', '>', after).orderBy('to_seq').limit(limit).execute()

export const findLastSegment = (db: Db): Promise<SegmentRow | undefined> =>
  db.selectFrom('audit_segments').selectAll().orderBy('to_seq', 'desc').limit(1).executeTakeFirst()

export const insertSegment = async (db: Db, row: SegmentRow): Promise<void> => {
  await db.insertInto('audit_segments').values(row).execute()
}

export const deleteLogUpTo = async (db: Db, seq: number): Promise<void> => {
  await db.deleteFrom('audit_log').where('seq', '<=', seq).execute()
}
