// SQL of the nodes of flow runs. Those of a run that was over with its first step lie in the run's own row.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** A node as it is stored. What a utility node stored is wrapped, so that a stored null is not an absent value. */
export type NodeRow = {
  node_id: string
  status: string
  attempt: number | null
  task_id: string | null
  output: { value: unknown } | null
  error: string | null
  gate: boolean | null
  blocked_by: string | null
  deadline_ms: number | null
  retry_at_ms: number | null
}

/** The columns of a node where it comes as JSON. */
export const nodeColumns = sql`node_id text, status text, attempt integer, task_id text, output json, error text, gate boolean,
  blocked_by text, deadline_ms double precision, retry_at_ms double precision`

/** How a node stands; what it gave is read apart from that. */
export type NodeStanding = Omit<NodeRow, 'output'>
export type LoadedNode = NodeRow & { task_output: unknown }

export const findStandings = async (db: Db, runId: string): Promise<NodeStanding[]> => {
  const { rows } = await sql<NodeStanding>`
    select node_id, status, attempt, task_id, error, gate, blocked_by, deadline_ms, retry_at_ms
    from flow_run_nodes where run_id = ${runId}`.execute(db)
  return rows
}

export type NodeResult = Pick<LoadedNode, 'node_id' | 'output' | 'task_output'>

export const findResults = async (db: Db, runId: string, nodeIds: readonly string[]): Promise<NodeResult[]> => {
  const { rows } = await sql<NodeResult>`
    select n.node_id, n.output, t.output as task_output
    from flow_run_nodes n left join tasks t on t.id = n.task_id
    where n.run_id = ${runId} and n.node_id = any(${nodeIds}::text[])`.execute(db)
  return rows
}

/** Everything about the nodes of a run, wherever they are kept. */
export const loadAllNodes = async (db: Db, runId: string): Promise<LoadedNode[]> => {
  const { rows } = await sql<LoadedNode>`
    with nodes as (
      select node_id, status, attempt, task_id, output, error, gate, blocked_by, deadline_ms, retry_at_ms
      from flow_run_nodes where run_id = ${runId}
      union all select n.* from flow_runs r cross join lateral json_to_recordset(r.nodes) as n (${nodeColumns})
      where r.id = ${runId})
    select nodes.*, case when nodes.status = 'completed' then t.output end as task_output
    from nodes left join tasks t on t.id = nodes.task_id`.execute(db)
  return rows
}

export type ShownNode = Pick<NodeRow, 'node_id' | 'status' | 'task_id' | 'output'> & { run_id: string }

/** What the nodes of a run take in an answer. */
export const sizeOfNodes = sql<number>`coalesce(octet_length(flow_runs.nodes::text), 0)
  + coalesce((select sum(octet_length(n.output::text)) from flow_run_nodes n where n.run_id = flow_runs.id), 0)`

/** What answers show of nodes, for a page of runs at once. */
export const findShownNodes = async (db: Db, runIds: readonly string[]): Promise<ShownNode[]> => {
  const { rows } = await sql<ShownNode>`
    select run_id, node_id, status, task_id, output from flow_run_nodes where run_id = any(${runIds}::text[])
    union all
    select r.id, n.node_id, n.status, n.task_id, n.output
    from flow_runs r cross join lateral json_to_recordset(r.nodes) as n (${nodeColumns})
    where r.id = any(${runIds}::text[])`.execute(db)
  return rows
}

/** How the tasks of a run's running nodes stand. */
export const findNodeTasks = async (db: Db, runId: string) => {
  const { rows } = await sql<{
    node_id: string
    task_id: string
    status: number | null
    output: unknown
    error: string
  }>`
    select n.node_id, n.task_id, t.status, t.output, coalesce(t.error, '') as error
    from flow_run_nodes n left join tasks t on t.id = n.task_id
    where n.run_id = ${runId} and n.status = 'running'`.execute(db)
  return rows
}
