// The row of a task, and the fence that protects it from outdated reports.
import type { Selectable } from 'kysely'
import type { Database } from '#platform/db/schema.gen.ts'

export type TaskRow = Selectable<Database['tasks']>

/** A task on its way to an engine. */
export type SentTask = TaskRow & { app_name: string }

export type StatusEvent = { id: string; status: number; event_time: string }

/**
 * Identifies the reports about a task that count: those of the engine that it was sent to, for the attempt it was sent
 * with. A null attempt matches the current one, provided that the task still belongs to the engine.
 */
export type Fence = { readonly attempt: number | null; readonly engineId: string }
