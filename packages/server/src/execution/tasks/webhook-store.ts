// SQL of the deliveries of completion webhooks.
import type { WebhookAttempt } from '@millrace/contract/tasks'
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type DeliveryRow = Selectable<Database['webhook_deliveries']>

export const insertDelivery = async (db: Db, delivery: Insertable<Database['webhook_deliveries']>): Promise<void> => {
  await db.insertInto('webhook_deliveries').values(delivery).execute()
}

/** With the trace context of the task. */
export type FoundDelivery = DeliveryRow & { traceparent: string }

export const findDelivery = (db: Db, id: string): Promise<FoundDelivery | undefined> =>
  db
    .selectFrom('webhook_deliveries')
    .leftJoin('tasks', 'tasks.id', 'webhook_deliveries.task_id')
    .selectAll('webhook_deliveries')
    .select((eb) => eb.fn.coalesce('tasks.traceparent', sql.lit('')).as('traceparent'))
    .where('webhook_deliveries.id', '=', id)
    .limit(1)
    .executeTakeFirst()

const shownColumns = [
  'id',
  'task_id',
  'url',
  'event',
  'status',
  'attempts',
  'created_at',
  'delivered_at',
  'next_attempt_at',
  'parked_reason',
] as const

export const listDeliveries = (db: Db, taskId: string) =>
  db.selectFrom('webhook_deliveries').select(shownColumns).where('task_id', '=', taskId).execute()

export type ShownDelivery = Awaited<ReturnType<typeof listDeliveries>>[number]

/** Stores the result of an attempt. */
export const recordAttempt = async (
  db: Db,
  id: string,
  attempt: WebhookAttempt,
  next: { status: DeliveryRow['status']; parkedReason: string; at: string | null },
): Promise<void> => {
  await sql`
    update webhook_deliveries set attempts = attempts || ${JSON.stringify([attempt])}::jsonb, status = ${next.status},
      round_attempts = round_attempts + 1, parked_reason = ${next.parkedReason}, next_attempt_at = ${next.at}::timestamptz,
      delivered_at = case when ${next.status} = 'delivered' then ${attempt.at}::timestamptz else delivered_at end,
      updated_at = ${attempt.at}::timestamptz
    where id = ${id}`.execute(db)
}

/** Starts another round of attempts and keeps the log of earlier rounds. Undefined when there is nothing to send. */
export const beginRound = (db: Db, taskId: string, now: string): Promise<DeliveryRow | undefined> =>
  db
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', round_attempts: 0, parked_reason: '', next_attempt_at: now, updated_at: now })
    .where('task_id', '=', taskId)
    .returningAll()
    .executeTakeFirst()

/**
 * Filters only by the presence of a webhook. Filters on the address would allow other workspaces to guess it character
 * by character.
 */
export const webhookFilter = (operator: string, value: unknown) =>
  operator === 'eq' && typeof value === 'boolean' ? sql<SqlBool>`(tasks.webhook <> '') = ${value}` : null
