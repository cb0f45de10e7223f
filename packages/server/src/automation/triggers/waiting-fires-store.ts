// SQL of fires that wait for dispatch, and of their results.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { FireRow } from './fires-store.ts'

export type WaitingFire = Pick<FireRow, 'id' | 'trigger_id' | 'kind' | 'payload' | 'attempts' | 'created_at'> & {
  traceparent: string
}

const isWaiting = (now: string) => sql`status = 'pending' and available_at <= ${now}::timestamptz`

export const waitingFires = (now: string) =>
  sql`select 1 from trigger_fires where ${isWaiting(now)} order by available_at limit 1`

const taken = sql`id, team_id, trigger_id, kind, coalesce(whole_payload, payload) as payload, attempts, created_at, traceparent,
  available_at, coalesce(octet_length(whole_payload::text), 0) as bytes`

/**
 * Locks the oldest waiting fires until the transaction ends; skips those that another dispatcher has locked. If the
 * batch is full, some workspaces may have flooded: then the fires of other workspaces are added and come first. Fires
 * with large payloads are limited to `maxBytes`, except for the first.
 */
export const claimWaiting = async (
  db: Db,
  { now, limit, maxBytes }: { now: string; limit: number; maxBytes: number },
): Promise<WaitingFire[]> => {
  const { rows } = await sql<WaitingFire>`
    with oldest as materialized (
      select ${taken} from trigger_fires where ${isWaiting(now)} order by available_at limit ${limit} for update skip locked
    ), others as materialized (
      select ${taken} from trigger_fires where (select count(*) from oldest) = ${limit} and ${limit} > 1 and ${isWaiting(now)}
        and team_id <> all(array(select team_id from oldest)) order by available_at limit ${limit} for update skip locked
    ), ordered as (
      select *, row_number() over (order by turn, available_at, id) as place
      from (select *, 1 as turn from others union all select *, 2 as turn from oldest) claimed
    ), summed as (
      select *, sum(bytes) over (order by place) as total from ordered
    )
    select id, trigger_id, kind, payload, attempts, created_at, traceparent from summed
    where place = 1 or total <= ${maxBytes} order by place`.execute(db)
  return rows
}

export type SettledFire = {
  readonly id: string
  readonly status: 'success' | 'error'
  readonly error: string
  readonly duration_ms: number
  readonly task_id: string | null
  readonly flow_run_id: string | null
  readonly chat_id: string | null
}

export const settleFires = async (db: Db, settled: readonly SettledFire[], now: string): Promise<void> => {
  await sql`
    update trigger_fires f set status = g.status, error = g.error, duration_ms = g.duration_ms, task_id = g.task_id,
      flow_run_id = g.flow_run_id, chat_id = g.chat_id, whole_payload = null, updated_at = ${now}::timestamptz
    from unnest(
      ${settled.map((one) => one.id)}::text[], ${settled.map((one) => one.status)}::text[],
      ${settled.map((one) => one.error)}::text[], ${settled.map((one) => one.duration_ms)}::int[],
      ${settled.map((one) => one.task_id)}::text[], ${settled.map((one) => one.flow_run_id)}::text[],
      ${settled.map((one) => one.chat_id)}::text[])
      as g (id, status, error, duration_ms, task_id, flow_run_id, chat_id)
    where f.id = g.id and f.status = 'pending'`.execute(db)
}

export const postponeFire = async (db: Db, id: string, attempts: number, availableAt: string): Promise<void> => {
  await db
    .updateTable('trigger_fires')
    .set({ attempts, available_at: availableAt })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}
