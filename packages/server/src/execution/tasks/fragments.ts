// SQL conditions on tasks, shared by the statements of several features.
import { type TaskStatusName, taskStatus } from '@millrace/contract/task-status'
import { type SqlBool, sql } from 'kysely'
import type { Fence } from './row.ts'

/**
 * A status as a literal in the statement. Only a literal lets the planner prove that a partial index covers the
 * condition, so that periodic queries stay cheap however many tasks have ended.
 */
export const statusCode = (name: TaskStatusName) => sql.lit(taskStatus[name])

/**
 * The status range of a task that was sent to an engine and has not ended. The partial index of live tasks uses the
 * same range.
 */
export const liveStatuses = sql`${statusCode('dispatched')} and ${statusCode('uploading')}`

export const isOnEngine = sql<SqlBool>`tasks.status between ${liveStatuses}`

export const isFenced = ({ attempt, engineId }: Fence) =>
  sql<SqlBool>`(${attempt}::int is null or tasks.attempt = ${attempt}::int) and tasks.engine_id = ${engineId}`

export const isQueued = sql<SqlBool>`tasks.status = ${statusCode('queued')} and tasks.deleted_at is null`
/**
 * For queries about all queued tasks of every kind. The extra condition is true for every row and matches the partial
 * index by time. Queries about a single kind omit it, so that the planner does not choose that index for them.
 */
export const isQueuedOfAnyKind = sql<SqlBool>`${isQueued} and tasks.queue_kind <> ''`
/**
 * For a row `t` that was found by its id. With the plain condition, the planner may scan the whole queue instead when
 * its statistics date from a time when the queue was empty.
 */
export const isStillQueued = sql<SqlBool>`case when t.status = ${statusCode('queued')} then t.deleted_at is null end`
/** `available_at` of a task that no worker ever runs, because it represents a flow. */
export const neverAvailable = '9999-12-31T00:00:00.000Z'

export const isDispatched = sql<SqlBool>`tasks.status = ${statusCode('dispatched')}`
export const isCancelling = sql<SqlBool>`tasks.status = ${statusCode('cancelling')}`
