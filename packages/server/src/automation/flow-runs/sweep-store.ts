// SQL that finds inconsistencies for the sweep, across workspaces: runs that wait for something that has happened, and
// tasks that outlived their run.
import { type FlowRunStatusName, flowRunStatus } from '@millrace/contract/flow-run-status'
import { sql } from 'kysely'
import { liveStatuses, statusCode } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'

const runStatus = (name: FlowRunStatusName) => sql.lit(flowRunStatus[name])

/** Runs that wait for nothing, or for something that has happened: none, unless a step was lost. */
export const findStuckRuns = async (db: Db, before: string, nowMs: number, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select r.id from flow_runs r where r.status <= ${runStatus('running')} and r.updated_at < ${before}::timestamptz and (
      not exists (select from flow_run_nodes n where n.run_id = r.id and n.status in ('running', 'ready', 'waiting'))
      or exists (select from flow_run_nodes n left join tasks t on t.id = n.task_id
        where n.run_id = r.id and n.status = 'running' and (t.id is null or t.status >= ${statusCode('completed')} or n.deadline_ms < ${nowMs}))
      or exists (select from flow_run_nodes n where n.run_id = r.id and n.status = 'ready' and n.retry_at_ms < ${nowMs})
      or exists (select from flow_run_nodes n where n.run_id = r.id and n.status = 'waiting' and n.deadline_ms < ${nowMs})
      or exists (select from flow_run_items i left join tasks t on t.id = i.task_id
        where i.run_id = r.id and ((i.status = 'ready' and i.retry_at_ms < ${nowMs}) or (i.status = 'running'
          and (t.id is null or t.status >= ${statusCode('completed')} or i.deadline_ms < ${nowMs}))))
      or exists (select from flow_run_loops l where l.run_id = r.id and l.input is not null and l.open = 0))
    order by r.created_at limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

/** Finished runs with active tasks. Each half uses an index of active tasks. */
export const findRunsWithLeftovers = async (db: Db, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct r.id from (
      select flow_run_id from tasks where status = ${statusCode('queued')} and deleted_at is null
      union all select flow_run_id from tasks where status between ${liveStatuses} and status < ${statusCode('cancelling')}
    ) as t join flow_runs r on r.id = t.flow_run_id
    where r.status > ${runStatus('running')} limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

/** Active tasks of nodes whose run is over. */
export const findLeftoverTasks = async (db: Db, runId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select t.id from flow_runs r join tasks t on t.flow_run_id = r.id
    join flow_run_nodes n on n.run_id = r.id and n.node_id = t.flow_node_id
    where r.id = ${runId} and t.status < ${statusCode('cancelling')} and (r.status > ${runStatus('running')}
      or case when t.flow_item is null then n.status <> 'running' or n.task_id <> t.id
        else not exists (select from flow_run_items i where i.run_id = r.id and i.node_id = n.node_id and i.task_id = t.id) end)`.execute(
    db,
  )
  return rows.map((row) => row.id)
}

export const isOver = async (db: Db, runId: string): Promise<boolean> => {
  const { rows } = await sql`
    select from flow_runs where id = ${runId} and status > ${runStatus('running')}`.execute(db)
  return rows.length > 0
}
