// History ends: logs, telemetry and webhook deliveries of tasks that finished longer ago than the workspace keeps them.
// The task itself, its input and its output stay until somebody deletes it.
import { type Kysely, sql } from 'kysely'
import { guest } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import type { Database } from '../db/schema.gen.ts'
import { entitlementOf } from '../plans/service.ts'

const dayMs = 24 * 3600_000
const batchSize = 1_000

export const sweepHistory = async (platform: Platform): Promise<void> => {
  const ctx = createCtx(platform, guest)
  const teams = await ctx.db.selectFrom('teams').select('id').execute()
  for (const { id } of teams) {
    const { unlimited, limit } = await entitlementOf(ctx, 'retention_days', id)
    if (unlimited) continue
    const before = new Date(ctx.now().getTime() - limit * dayMs).toISOString()
    for (let done = batchSize; done === batchSize; ) done = await forgetHistory(platform.db, id, before)
  }
}

const forgetHistory = async (db: Kysely<Database>, teamId: string, before: string): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    with old as (
      select id from tasks where team_id = ${teamId} and finished_at < ${before}::timestamptz and not history_swept
      limit ${batchSize} for update skip locked),
    logs as (delete from task_log_chunks using old where task_id = old.id),
    samples as (delete from task_telemetry using old where task_id = old.id),
    deliveries as (delete from webhook_deliveries using old where task_id = old.id)
    update tasks set history_swept = true from old where tasks.id = old.id returning tasks.id`.execute(db)
  return rows.length
}
