// SQL of the ledger verification: pages of accounts, and of an account's transactions with their entries.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { LedgerRow } from './ledger-chain.ts'

export const pageRows = 1000

export const findAccountsPage = (db: Db, after: string) =>
  db
    .selectFrom('billing_accounts')
    .select(['team_id', 'seq', 'hash', 'balance'])
    .where('team_id', '>', after)
    .orderBy('team_id')
    .limit(pageRows)
    .execute()

export const findLedgerPage = async (db: Db, teamId: string, after: number): Promise<LedgerRow[]> => {
  const { rows } = await sql<LedgerRow>`
    select t.team_id, t.seq, t.id, extract(epoch from t.created_at)::text as created_epoch, t.type, t.amount, t.user_id,
      t.reference, t.reference_id, t.reversal_id, t.notes, t.previous_hash, t.hash,
      (select coalesce(jsonb_agg(jsonb_build_array(e.account, e.owner, e.amount) order by e.account || '/' || e.owner collate "C"), '[]')
       from ledger_entries e where e.transaction_id = t.id) as entries
    from transactions t where t.team_id = ${teamId} and t.seq > ${after} order by t.seq limit ${pageRows}`.execute(db)
  return rows
}
