// Conditions on tasks that statements of this room and of others share.
import { type TaskStatusName, taskStatus } from '@millrace/contract/task-status'
import { type SqlBool, sql } from 'kysely'
import type { Fence } from './row.ts'

/**
 * A status as a statement says it, spelled out: only then does the planner see that a partial index holds every such row,
 * and a look once a second stays one, however many tasks have ended.
 */
export const statusCode = (name: TaskStatusName) => sql.lit(taskStatus[name])

/** The statuses of a task that was given to an engine and is not over: what the index of live tasks holds. */
export const liveStatuses = sql`${statusCode('dispatched')} and ${statusCode('uploading')}`

export const isOnEngine = sql<SqlBool>`tasks.status between ${liveStatuses}`

export const isFenced = ({ attempt, engineId }: Fence) =>
  sql<SqlBool>`(${attempt}::int is null or tasks.attempt = ${attempt}::int) and tasks.engine_id = ${engineId}`

export const isQueued = sql<SqlBool>`tasks.status = ${statusCode('queued')} and tasks.deleted_at is null`
/**
 * The same for questions about all that waits, whatever its kind: with what the index by time says besides, which holds for
 * every row and keeps the planner from taking that index where one kind is meant.
 */
export const isQueuedOfAnyKind = sql<SqlBool>`${isQueued} and tasks.queue_kind <> ''`
/**
 * The same of a row `t` that was found by its id. Said as above, the planner may rather walk everything that waits: it takes
 * that for little as long as its statistics are from a time when nothing waited.
 */
export const isStillQueued = sql<SqlBool>`case when t.status = ${statusCode('queued')} then t.deleted_at is null end`
/** From when on workers may take a task that none ever takes: it stands for a flow, which begins at a time of its own. */
export const neverAvailable = '9999-12-31T00:00:00.000Z'

export const isDispatched = sql<SqlBool>`tasks.status = ${statusCode('dispatched')}`
export const isCancelling = sql<SqlBool>`tasks.status = ${statusCode('cancelling')}`
