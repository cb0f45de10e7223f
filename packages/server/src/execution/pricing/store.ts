// SQL of prices and of the charges of priced runs.
import type { AppPricing } from '@millrace/contract/pricing'
import { taskStatus } from '@millrace/contract/task-status'
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export const insertCharge = async (
  db: Db,
  { pricing, ...row }: Omit<Insertable<Database['run_charges']>, 'pricing'> & { pricing: AppPricing },
): Promise<void> => {
  await db
    .insertInto('run_charges')
    .values({ ...row, pricing: JSON.stringify(pricing) })
    .execute()
}

/** The open charge of a task, with the values that its price depends on. */
export const lockCharge = (db: Db, taskId: string) =>
  db
    .selectFrom('run_charges')
    .innerJoin('tasks', 'tasks.id', 'run_charges.task_id')
    .select([
      'run_charges.team_id',
      'run_charges.author_team_id',
      'run_charges.pricing',
      'run_charges.reserved',
      'run_charges.subjects',
      'run_charges.created_at',
      'tasks.user_id',
      'tasks.input',
      'tasks.function',
      'tasks.output',
      'tasks.events',
    ])
    .where('run_charges.task_id', '=', taskId)
    .where('run_charges.settled_at', 'is', null)
    .limit(1)
    .forUpdate('run_charges')
    .executeTakeFirst()

/** Also writes the cost to the task. */
export const settleCharge = async (db: Db, taskId: string, total: number, now: string): Promise<void> => {
  await sql`with settled as (
      update run_charges set total = ${total}, settled_at = ${now}::timestamptz where task_id = ${taskId} returning task_id)
    update tasks set cost = ${total} from settled where tasks.id = settled.task_id`.execute(db)
}

/** Running runs whose price was unknown in advance. */
export const openEnded = (db: Db, limit: number) =>
  db
    .selectFrom('run_charges')
    .innerJoin('tasks', 'tasks.id', 'run_charges.task_id')
    .select([
      'run_charges.task_id',
      'run_charges.team_id',
      'run_charges.pricing',
      'run_charges.subjects',
      'tasks.input',
      'tasks.function',
      'tasks.events',
    ])
    .where('run_charges.settled_at', 'is', null)
    .where('run_charges.is_open_ended', '=', true)
    .where('tasks.status', '=', taskStatus.running)
    .orderBy('run_charges.created_at')
    .orderBy('run_charges.task_id')
    .limit(limit)

/** Deletes charges whose task no longer exists. The ledger keeps the transactions. */
export const deleteSettledBefore = async (db: Db, before: string, limit: number): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('run_charges')
    .where('task_id', 'in', (query) =>
      query
        .selectFrom('run_charges as old')
        .select('old.task_id')
        .where('old.settled_at', '<', before)
        .where((where) =>
          where.not(
            where.exists(where.selectFrom('tasks').select('tasks.id').whereRef('tasks.id', '=', 'old.task_id')),
          ),
        )
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
