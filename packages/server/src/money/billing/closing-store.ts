// SQL of closed ledger parts: one row per workspace, and the deletion of the closed transactions.
import { type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type ClosingRow = Selectable<Database['ledger_closings']>

/** Any number that no other advisory lock of the server starts with. */
const closingLock = 7700_0109

/** Only one transaction at a time closes a workspace's ledger. Postings do not wait for this lock. */
export const lockClosing = async (db: Db, teamId: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${closingLock}, hashtext(${teamId}))`.execute(db)
}

export const findClosing = (db: Db, teamId: string): Promise<ClosingRow | undefined> =>
  db.selectFrom('ledger_closings').selectAll().where('team_id', '=', teamId).limit(1).executeTakeFirst()

/** `sums` as JSON. */
export const writeClosing = async (
  db: Db,
  teamId: string,
  closing: Omit<ClosingRow, 'team_id' | 'sums'> & { sums: string },
): Promise<void> => {
  await db
    .insertInto('ledger_closings')
    .values({ team_id: teamId, ...closing })
    .onConflict((conflict) => conflict.column('team_id').doUpdateSet(closing))
    .execute()
}

/** Workspaces that have transactions older than `before`. */
export const findTeamsToClose = async (db: Db, before: string, after: string, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ team_id: string }>`
    select a.team_id from billing_accounts a
    where a.team_id > ${after} and exists (
      select from transactions t where t.team_id = a.team_id and t.created_at < ${before}::timestamptz)
    order by a.team_id limit ${limit}`.execute(db)
  return rows.map(({ team_id }) => team_id)
}

/** Lets this transaction delete ledger rows despite the guard against changes. */
export const allowClosing = async (db: Db): Promise<void> => {
  await sql`select set_config('millrace.closes_ledger', 'on', true)`.execute(db)
}

export const deleteEntriesUpTo = async (db: Db, teamId: string, seq: number): Promise<void> => {
  await sql`delete from ledger_entries e using transactions t
    where t.team_id = ${teamId} and t.seq <= ${seq} and e.transaction_id = t.id`.execute(db)
}

export const deleteTransactionsUpTo = async (db: Db, teamId: string, seq: number): Promise<void> => {
  await db.deleteFrom('transactions').where('team_id', '=', teamId).where('seq', '<=', seq).execute()
}
