// SQL of budgets and of the amounts spent.
import type { BudgetSubject } from '@millrace/contract/budgets'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type BudgetRow = Selectable<Database['budgets']> & { spent: number; held: number }

export type SpendingSubject = readonly [type: BudgetSubject, id: string]

type Days = { readonly day: string; readonly month: string }

const withTotals = (db: Db, teamId: string, { day, month }: Days) =>
  db
    .selectFrom('budgets')
    .leftJoin('spend_totals', (join) =>
      join
        .onRef('spend_totals.team_id', '=', 'budgets.team_id')
        .onRef('spend_totals.subject_type', '=', 'budgets.subject_type')
        .onRef('spend_totals.subject_id', '=', 'budgets.subject_id')
        .onRef('spend_totals.period', '=', 'budgets.period')
        .on('spend_totals.starts_on', '=', sql<string>`case budgets.period when 'day' then ${day} else ${month} end`),
    )
    .selectAll('budgets')
    .select([
      sql<number>`coalesce(spend_totals.spent, 0)`.as('spent'),
      sql<number>`coalesce(spend_totals.held, 0)`.as('held'),
    ])
    .where('budgets.team_id', '=', teamId)

export const selectBudgets = withTotals

export const findBudget = (db: Db, teamId: string, id: string, days: Days): Promise<BudgetRow | undefined> =>
  withTotals(db, teamId, days).where(idMatches('budgets.id', id)).limit(1).executeTakeFirst()

/** The limits that apply to any of these subjects. */
export const listBudgetsOver = (
  db: Db,
  teamId: string,
  subjects: readonly SpendingSubject[],
  days: Days,
): Promise<BudgetRow[]> =>
  withTotals(db, teamId, days)
    .where(
      sql<boolean>`(budgets.subject_type, budgets.subject_id) in (
        select * from unnest(${subjects.map(([type]) => type)}::text[], ${subjects.map(([, id]) => id)}::text[]))`,
    )
    .orderBy('budgets.id')
    .execute()

export const insertBudget = async (db: Db, row: Insertable<Database['budgets']>): Promise<void> => {
  await db.insertInto('budgets').values(row).execute()
}

export const updateBudget = async (
  db: Db,
  teamId: string,
  id: string,
  change: { limit?: number; enforcement?: 'block' | 'warn'; updated_at: string },
): Promise<void> => {
  await db.updateTable('budgets').set(change).where('team_id', '=', teamId).where('id', '=', id).execute()
}

export const deleteBudget = async (db: Db, teamId: string, id: string): Promise<void> => {
  await db.deleteFrom('budgets').where('team_id', '=', teamId).where('id', '=', id).execute()
}

/**
 * One statement for all subjects and both periods, in a fixed order, so that concurrent transactions do not deadlock.
 */
export const addToTotals = async (
  db: Db,
  teamId: string,
  subjects: readonly SpendingSubject[],
  days: Days,
  change: { spent: number; held: number },
): Promise<void> => {
  await sql`
    insert into spend_totals (team_id, subject_type, subject_id, period, starts_on, spent, held)
    select ${teamId}, s.type, s.id, p.period, p.starts_on, greatest(0, ${change.spent}::bigint), greatest(0, ${change.held}::bigint)
    from unnest(${subjects.map(([type]) => type)}::text[], ${subjects.map(([, id]) => id)}::text[]) as s (type, id),
      (values ('day', ${days.day}::text), ('month', ${days.month}::text)) as p (period, starts_on)
    order by s.type, s.id, p.period
    on conflict (team_id, subject_type, subject_id, period, starts_on) do update
      set spent = greatest(0, spend_totals.spent + ${change.spent}::bigint),
          held = greatest(0, spend_totals.held + ${change.held}::bigint)`.execute(db)
}

export const deleteTotalsBefore = async (db: Db, day: string): Promise<void> => {
  await db.deleteFrom('spend_totals').where('starts_on', '<', day).execute()
}

/** Deleted keys and agents are included, so that past spending can be shown. */
const subjectTables = {
  api_key: { table: 'api_keys', live: sql`t.deleted_at is null` },
  agent: { table: 'agents', live: sql`t.deleted_at is null` },
  flow: { table: 'flows', live: sql`true` },
  trigger: { table: 'triggers', live: sql`true` },
} as const

/** The full id of an object of the workspace. */
export const findSubject = async (
  db: Db,
  teamId: string,
  type: keyof typeof subjectTables,
  id: string,
): Promise<string | undefined> => {
  const { table, live } = subjectTables[type]
  const { rows } = await sql<{ id: string }>`
    select t.id from ${sql.table(table)} t
    where t.team_id = ${teamId} and ${idMatches('t.id', id)} and ${live} limit 1`.execute(db)
  return rows[0]?.id
}

/** The workspace of a flow run, and the task that represents it. */
export const findFlowRun = (db: Db, teamId: string, id: string) =>
  db
    .selectFrom('flow_runs')
    .select(['flow_id', 'trigger_id', 'task_id'])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()

export const findTaskOrigin = (db: Db, teamId: string, id: string) =>
  db
    .selectFrom('tasks')
    .select(['flow_run_id', 'chat_id', 'agent_id'])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()

/** The agent of a chat, the chat that called it, and the cause of the current run. */
export const findChat = (db: Db, teamId: string, id: string) =>
  db
    .selectFrom('chats')
    .leftJoin('agent_runs', 'agent_runs.id', 'chats.active_run_id')
    .select([
      'chats.agent_id',
      'chats.parent_id',
      'agent_runs.trigger_id',
      'agent_runs.flow_run_id',
      'agent_runs.task_id',
    ])
    .where('chats.team_id', '=', teamId)
    .where('chats.id', '=', id)
    .limit(1)
    .executeTakeFirst()

export const isTrigger = async (db: Db, teamId: string, id: string): Promise<boolean> => {
  const row = await db
    .selectFrom('triggers')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
