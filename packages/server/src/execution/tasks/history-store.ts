// SQL of task telemetry, and of the removal of history.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export const listSamples = (db: Db, taskId: string) =>
  db
    .selectFrom('task_telemetry')
    .select([
      'id',
      sql<string>`created_at`.as('timestamp'),
      'task_id',
      'task_seq',
      'app_id',
      'app_version_id',
      'engine_id',
      'worker_id',
      'engine_resources',
      'system_info',
    ])
    .where('task_id', '=', taskId)
    .orderBy('task_seq')
    .execute()

export type Sample = { taskId: string; engineId: string; workerId: string; resources: string; info: string; at: string }

/** Per task: more than three days at one sample every half minute. */
export const maxSamples = 10_000

/** Writes only if this worker of this engine runs the task and the limit is not reached. */
export const insertSample = async (db: Db, id: string, sample: Sample): Promise<void> => {
  await sql`
    insert into task_telemetry (id, task_id, task_seq, app_id, app_version_id, engine_id, worker_id, engine_resources, system_info, created_at)
    select ${id}, t.id, taken.samples + 1, t.app_id, t.app_version_id,
      ${sample.engineId}, ${sample.workerId}, ${sample.resources}::jsonb, ${sample.info}::jsonb, ${sample.at}::timestamptz
    from tasks t cross join lateral (select count(*) as samples from task_telemetry s where s.task_id = t.id) taken
    where t.id = ${sample.taskId} and t.engine_id = ${sample.engineId} and t.worker_id = ${sample.workerId}
      and taken.samples < ${maxSamples}`.execute(db)
}

/** Deletes logs, samples and deliveries of tasks that ended before the given time. Returns the number of tasks. */
export const deleteHistory = async (db: Db, teamId: string, before: string, limit: number): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    with old as (
      select id from tasks where team_id = ${teamId} and finished_at < ${before}::timestamptz and not history_swept
      limit ${limit} for update skip locked),
    logs as (delete from task_log_chunks using old where task_id = old.id),
    samples as (delete from task_telemetry using old where task_id = old.id),
    deliveries as (delete from webhook_deliveries using old where task_id = old.id)
    update tasks set history_swept = true from old where tasks.id = old.id returning tasks.id`.execute(db)
  return rows.length
}

/** Deletes the tasks of the query `old` with their logs, samples and deliveries. */
const deleteWithHistory = async (db: Db, old: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    with old as materialized (${old} for update skip locked),
    logs as (delete from task_log_chunks using old where task_id = old.id),
    samples as (delete from task_telemetry using old where task_id = old.id),
    deliveries as (delete from webhook_deliveries using old where task_id = old.id)
    delete from tasks using old where tasks.id = old.id returning tasks.id`.execute(db)
  return rows.length
}

/**
 * Featured tasks are public examples and are never deleted here. The condition on `created_at` is implied by the one on
 * `finished_at`; the index needs it.
 */
export const deleteEndedTasks = (db: Db, teamId: string, before: string, limit: number): Promise<number> =>
  deleteWithHistory(
    db,
    sql`select id from tasks where team_id = ${teamId} and deleted_at is null and created_at < ${before}::timestamptz
      and finished_at < ${before}::timestamptz and not is_featured order by created_at limit ${limit}`,
  )

export const purgeDeletedTasks = (db: Db, teamId: string, before: string, limit: number): Promise<number> =>
  deleteWithHistory(
    db,
    sql`select id from tasks where team_id = ${teamId} and deleted_at < ${before}::timestamptz limit ${limit}`,
  )
