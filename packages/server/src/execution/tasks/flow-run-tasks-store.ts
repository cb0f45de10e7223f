// SQL of the tasks of flow runs that follow the state of their run.
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** Tasks by the flow runs that they are steps of, or by id. */
export type RunTasks = { flowRunIds?: readonly string[]; taskIds?: readonly string[] }

/**
 * Skips tasks that already have this visibility, so that they are not locked. Increments `event_seq` unless the task
 * has ended.
 */
export const setVisibilityInRuns = async (
  db: Db,
  { flowRunIds = [], taskIds = [] }: RunTasks,
  visibility: string,
  now: string,
) => {
  const { rows } = await sql<{ id: string; status: number; event_seq: number }>`
    update tasks set visibility = ${visibility}, updated_at = ${now}::timestamptz,
      event_seq = event_seq + (status < ${sql.lit(taskStatus.completed)})::int
    where (flow_run_id = any(${sql.val(flowRunIds)}::text[]) or id = any(${sql.val(taskIds)}::text[]))
      and visibility <> ${visibility}
    returning id, status, event_seq`.execute(db)
  return rows
}
