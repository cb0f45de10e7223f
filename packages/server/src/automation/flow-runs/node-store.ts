// SQL of the nodes of flow runs. The nodes of a run that ended with its first step are in the run's own row.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** A stored node. The result of a utility node is wrapped, so that a stored null differs from no result. */
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
  branch: string | null
  code: string | null
  handled: boolean | null
  waits_for: string | null
  turn: number | null
}

/** The columns of a node as JSON. */
export const nodeColumns = sql`node_id text, status text, attempt integer, task_id text, output json, error text, gate boolean,
  blocked_by text, deadline_ms double precision, retry_at_ms double precision, branch text, code text, handled boolean,
  waits_for text, turn integer`

/** The same columns by name, and without the result. */
const stateNames = sql`node_id, status, attempt, task_id, error, gate, blocked_by, deadline_ms, retry_at_ms, branch, code,
  handled, waits_for, turn`
export const nodeNames = sql`${stateNames}, output`

/** A node without its result, which is read separately. `carried`: the previous output of a repeated node. */
export type NodeStateRow = Omit<NodeRow, 'output'> & { carried: { value: unknown } | null }
export type LoadedNode = NodeRow & Pick<NodeStateRow, 'carried'> & { task_output: unknown }

const carried = sql`case when status <> 'completed' then output end`

export const findNodeStates = async (db: Db, runId: string): Promise<NodeStateRow[]> => {
  const { rows } = await sql<NodeStateRow>`
    select ${stateNames}, ${carried} as carried from flow_run_nodes where run_id = ${runId}`.execute(db)
  return rows
}

export type NodeResult = Pick<LoadedNode, 'node_id' | 'output' | 'task_output' | 'branch'>

export const findResults = async (db: Db, runId: string, nodeIds: readonly string[]): Promise<NodeResult[]> => {
  const { rows } = await sql<NodeResult>`
    select n.node_id, n.branch, n.output, t.output as task_output
    from flow_run_nodes n left join tasks t on t.id = n.task_id
    where n.run_id = ${runId} and n.node_id = any(${nodeIds}::text[])`.execute(db)
  return rows
}

/** All nodes of a run, from either place. */
export const loadAllNodes = async (db: Db, runId: string): Promise<LoadedNode[]> => {
  const { rows } = await sql<LoadedNode>`
    with nodes as (
      select ${nodeNames} from flow_run_nodes where run_id = ${runId}
      union all select ${nodeNames} from (select nodes from flow_runs where id = ${runId}) r cross join lateral json_to_recordset(r.nodes) as n (${nodeColumns}))
    select nodes.*, case when nodes.status <> 'completed' then nodes.output end as carried,
      case when nodes.status = 'completed' then t.output end as task_output
    from nodes left join tasks t on t.id = nodes.task_id`.execute(db)
  return rows
}

export type ShownNode = Pick<NodeRow, 'node_id' | 'status' | 'task_id' | 'output' | 'waits_for' | 'deadline_ms'> & {
  run_id: string
}

/** Size of the nodes of a run in an answer. */
export const sizeOfNodes = sql<number>`coalesce(octet_length(flow_runs.nodes::text), 0)
  + coalesce((select sum(octet_length(n.output::text)) from flow_run_nodes n where n.run_id = flow_runs.id), 0)`

/** The nodes of several runs, as answers show them. */
export const findShownNodes = async (db: Db, runIds: readonly string[]): Promise<ShownNode[]> => {
  const { rows } = await sql<ShownNode>`
    select run_id, node_id, status, task_id, output, waits_for, deadline_ms from flow_run_nodes where run_id = any(${runIds}::text[])
    union all
    select r.id, n.node_id, n.status, n.task_id, n.output, n.waits_for, n.deadline_ms
    from flow_runs r cross join lateral json_to_recordset(r.nodes) as n (${nodeColumns})
    where r.id = any(${runIds}::text[])`.execute(db)
  return rows
}

/** The tasks of a run's running nodes. */
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
