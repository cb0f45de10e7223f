// SQL that deletes old flow runs and their steps.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** Returns the number of runs whose steps were deleted. */
export const deleteSteps = async (db: Db, teamId: string, before: string, limit: number): Promise<number> => {
  const { rows } = await sql<{ run_id: string }>`
    with old as (
      select id from flow_runs where team_id = ${teamId} and finished_at < ${before}::timestamptz
        and exists (select from flow_run_events e where e.run_id = flow_runs.id) limit ${limit}),
    gone as (delete from flow_run_events using old where run_id = old.id returning run_id)
    select distinct run_id from gone`.execute(db)
  return rows.length
}

/** Runs with their nodes and steps. */
export const deleteEndedRuns = async (db: Db, teamId: string, before: string, limit: number): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    with old as materialized (
      select id from flow_runs where team_id = ${teamId} and created_at < ${before}::timestamptz
        and finished_at < ${before}::timestamptz order by created_at limit ${limit} for update skip locked),
    nodes as (delete from flow_run_nodes using old where run_id = old.id),
    steps as (delete from flow_run_events using old where run_id = old.id),
    loops as (delete from flow_run_loops using old where run_id = old.id),
    chunks as (delete from flow_run_loop_chunks using old where run_id = old.id),
    items as (delete from flow_run_items using old where run_id = old.id)
    delete from flow_runs using old where flow_runs.id = old.id returning flow_runs.id`.execute(db)
  return rows.length
}
