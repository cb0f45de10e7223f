// A task as the database keeps it, and who may speak for it.
import type { Selectable } from 'kysely'
import type { Database } from '#platform/db/schema.gen.ts'

export type TaskRow = Selectable<Database['tasks']>

/** A task on its way to an engine. */
export type SentTask = TaskRow & { app_name: string }

export type StatusEvent = { id: string; status: number; event_time: string }

/**
 * Whose word about a task counts: the engine it was sent to, for the attempt it was sent with. Without an attempt it is the
 * one that the engine was given last, which is the task's present one as long as the task is that engine's.
 */
export type Fence = { readonly attempt: number | null; readonly engineId: string }
