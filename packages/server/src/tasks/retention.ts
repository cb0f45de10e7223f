// History ends: logs, telemetry and webhook deliveries of tasks that finished longer ago than the workspace keeps them.
// The task itself, its input and its output stay until somebody deletes it.
import { type Kysely, sql } from 'kysely'
import type { Platform } from '../core/ctx.ts'
import type { Database } from '../db/schema.gen.ts'
import { sweepByRetention } from '../plans/service.ts'

export const sweepHistory = async (platform: Platform): Promise<void> => {
  await sweepByRetention(platform, (teamId, before, limit) => forgetHistory(platform.db, teamId, before, limit))
}

const forgetHistory = async (db: Kysely<Database>, teamId: string, before: string, limit: number): Promise<number> => {
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
