// SQL of the ledger: accounts, transactions and their entries.
import type { BillingStatus } from '@millrace/contract/billing'
import { newId } from '@millrace/contract/ids'
import { type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { prepared } from '#platform/db/prepared.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import type { Book } from './book.ts'

export type AccountRow = Awaited<ReturnType<typeof findAccount>> & object

export const findAccount = (db: Db, teamId: string) =>
  db.selectFrom('billing_accounts').selectAll().where('team_id', '=', teamId).limit(1).executeTakeFirst()

export const lockAccount = (db: Db, teamId: string) =>
  db.selectFrom('billing_accounts').selectAll().where('team_id', '=', teamId).limit(1).forUpdate().executeTakeFirst()

export const insertAccount = async (db: Db, teamId: string, now: string): Promise<void> => {
  await db
    .insertInto('billing_accounts')
    .values({ team_id: teamId, id: newId(), created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('team_id').doNothing())
    .execute()
}

export const updateStatus = (db: Db, teamId: string, status: BillingStatus, now: string) =>
  db
    .updateTable('billing_accounts')
    .set({ status, updated_at: now })
    .where('team_id', '=', teamId)
    .returningAll()
    .executeTakeFirstOrThrow()

export const findTeam = (db: Db, id: string) =>
  db
    .selectFrom('teams')
    .select('id')
    .where(idMatches('teams.id', id))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

/** The person shown as the owner of a workspace's account. */
export const findOwner = (db: Db, teamId: string) =>
  db
    .selectFrom('team_members')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('role', '=', 'owner')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()

export type TransactionRow = Selectable<Database['transactions']>

const writeRows = prepared(
  (_db, teamId: string, written: number, seq: number, hash: string, balance: number, at: string, rows: string) => sql<{
    posted: number
  }>`
    with rows as materialized (
      select * from jsonb_to_recordset(${rows}::jsonb) as r (
        id text, seq bigint, type text, amount bigint, user_id text, reference text, reference_id text, reversal_id text,
        notes text, created_at timestamptz, previous_hash text, hash text, entries jsonb)),
    moved as (
      update billing_accounts set balance = ${balance}::bigint, seq = ${seq}::bigint, hash = ${hash}, updated_at = ${at}::timestamptz
      where team_id = ${teamId} and seq = ${written}::bigint
      returning team_id),
    posted as (
      insert into transactions (
        id, team_id, seq, type, amount, user_id, reference, reference_id, reversal_id, notes, created_at, previous_hash, hash)
      select r.id, moved.team_id, r.seq, r.type, r.amount, r.user_id, r.reference, r.reference_id, r.reversal_id, r.notes,
        r.created_at, r.previous_hash, r.hash
      from moved, rows r
      returning id),
    entries as (
      insert into ledger_entries (transaction_id, account, owner, amount)
      select r.id, e ->> 0, e ->> 1, (e ->> 2)::bigint from moved, rows r, jsonb_array_elements(r.entries) e)
    select count(*) as posted from posted`,
)

/** Writes the transactions appended since the account was locked. The account row is checked to be unchanged. */
export const writeBook = async (db: Db, { teamId, written, end, rows }: Book): Promise<void> => {
  const last = rows.at(-1)
  if (!last) return
  const [count] = await writeRows(
    db,
    teamId,
    written,
    end.seq,
    end.hash,
    end.balance,
    last.created_at,
    JSON.stringify(rows),
  )
  if (count?.posted !== rows.length) throw new Error('The account was changed without its lock')
}

/** Settlements do not change the balance and are internal to the ledger. */
export const selectTransactions = (db: Db, teamId: string) =>
  db.selectFrom('transactions').selectAll().where('team_id', '=', teamId).where('type', '<>', 'settlement')

/**
 * Payments of a workspace within a period. A run is paid when it ends: the earnings of author and platform are written
 * then, and reserved amounts are not counted. A rental is paid in advance, and its refund is subtracted.
 */
const paidFor = (teamId: string, from: string, to: string) => sql`
  select t.reference, t.reference_id, t.created_at,
    case when t.reference = 'task' then e.earned else -t.amount end as microcents
  from transactions t
  left join lateral (
    select coalesce(sum(amount), 0) as earned from ledger_entries
    where transaction_id = t.id and account in ('author', 'platform')) e on t.reference = 'task'
  where t.team_id = ${teamId} and t.type <> 'grant'
    and t.created_at >= ${from}::timestamptz and t.created_at < ${to}::timestamptz`

/** Uses the charge because it is retained longer than its task. */
export const sumRunsByApp = async (db: Db, teamId: string, from: string, to: string) => {
  const { rows } = await sql<{ app_id: string; ref: string; tasks: number; microcents: number }>`
    select c.app_id, apps.namespace || '/' || apps.name as ref, count(*) as tasks, sum(paid.microcents)::bigint as microcents
    from (${paidFor(teamId, from, to)}) paid
    join run_charges c on c.task_id = paid.reference_id join apps on apps.id = c.app_id
    where paid.reference = 'task' and paid.microcents > 0
    group by 1, 2 order by 4 desc, 1`.execute(db)
  return rows
}

/** Per day in UTC. */
export const sumByDay = async (db: Db, teamId: string, from: string, to: string) => {
  const { rows } = await sql<{ date: string; microcents: number }>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as date, sum(microcents)::bigint as microcents
    from (${paidFor(teamId, from, to)}) paid
    group by 1 having sum(microcents) <> 0 order by 1`.execute(db)
  return rows
}
