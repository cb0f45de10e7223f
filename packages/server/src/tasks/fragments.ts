// Conditions on tasks that statements of this room and of others share.
import { taskStatus } from '@millrace/contract/task-status'
import { type SqlBool, sql } from 'kysely'
import type { Fence } from './row.ts'

/** Given to an engine, and not over. */
export const isOnEngine = sql<SqlBool>`tasks.status between ${sql.lit(taskStatus.dispatched)} and ${sql.lit(taskStatus.uploading)}`

export const isFenced = ({ attempt, engineId }: Fence) =>
  sql<SqlBool>`(${attempt}::int is null or tasks.attempt = ${attempt}::int) and tasks.engine_id = ${engineId}`

/**
 * Statuses that sweeps look for, spelled out: only then does the planner see that a partial index holds every such row,
 * and a look once a second stays one, however many tasks have ended.
 */
export const isQueued = sql<SqlBool>`tasks.status = ${sql.lit(taskStatus.queued)} and tasks.deleted_at is null`
export const isDispatched = sql<SqlBool>`tasks.status = ${sql.lit(taskStatus.dispatched)}`
export const isCancelling = sql<SqlBool>`tasks.status = ${sql.lit(taskStatus.cancelling)}`
