// SQL of flow runs. A step of a run is one statement that writes the run, the changed nodes and the events.
import { type Selectable, sql } from 'kysely'
import { representingTasks } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'
import { findNodeStates, type NodeRow, type NodeStateRow, nodeColumns, nodeNames } from './node-store.ts'

/**
 * A run without its nodes, which are read separately, and without its place in a tree, which is only used for limits.
 */
export type RunRow = Omit<Selectable<Database['flow_runs']>, 'nodes' | 'root_run_id' | 'node_count'>

const runColumns = [
  ...(['id', 'team_id', 'user_id', 'visibility', 'flow_id', 'flow_version_id', 'graph_version', 'task_id'] as const),
  ...(['status', 'input', 'output', 'error', 'fail_on_error', 'origin_run_id', 'trigger_id', 'run_as'] as const),
  ...(['metadata', 'event_seq', 'log_length', 'started_at', 'finished_at', 'cancelled_at'] as const),
  ...(['created_at', 'updated_at', 'traceparent'] as const),
] as const

/** All runs; the caller adds conditions. */
export const selectRuns = (db: Db) => db.selectFrom('flow_runs').select(runColumns).select(teamOrg('flow_runs'))

export type OwnedRunRow = RunRow & { team_org_id: string | null }

/** By full or short id; none if two runs share the short id. */
export const findRun = async (db: Db, id: string): Promise<OwnedRunRow | undefined> => {
  const rows = await selectRuns(db).where(idMatches('flow_runs.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

/** The context of a task: its flows from the inside out, the root run, and all runs below the root. */
export type TaskContext = { flowIds: string[]; rootRunId: string; runsBelow: number; nodesBelow: number }

/** Undefined if the task is not a step of a flow. Follows at most `limit` flows. */
export const findTaskContext = async (db: Db, taskId: string, limit: number): Promise<TaskContext | undefined> => {
  const { rows } = await sql<TaskContext>`
    with recursive around as (
      select flow_runs.id, flow_runs.root_run_id, flow_runs.flow_id, flow_runs.task_id, 1 as level
      from tasks join flow_runs on flow_runs.id = tasks.flow_run_id where tasks.id = ${taskId}
      union all
      select flow_runs.id, flow_runs.root_run_id, flow_runs.flow_id, flow_runs.task_id, around.level + 1
      from around join tasks on tasks.id = around.task_id join flow_runs on flow_runs.id = tasks.flow_run_id
      where around.level < ${limit}
    ), top as (select coalesce(root_run_id, id) as id from around where level = 1)
    select (select array_agg(flow_id order by level) from around) as "flowIds", top.id as "rootRunId",
      below.runs as "runsBelow", below.nodes as "nodesBelow"
    from top cross join lateral (
      select count(*)::integer as runs, coalesce(sum(node_count), 0)::integer as nodes
      from flow_runs where root_run_id = top.id) as below`.execute(db)
  return rows[0]
}

/** Locks the run for a step and reads its nodes without results. */
export const lockRun = async (db: Db, id: string): Promise<{ run: RunRow; nodes: NodeStateRow[] } | undefined> => {
  const { rows } = await sql<RunRow & { seen_length: number; node_states: NodeStateRow[] }>`
    with run as materialized (select ${columnsOf('flow_runs')} from flow_runs where id = ${id} for update)
    select run.*, (select log_length from flow_runs where id = ${id}) as seen_length,
      (select coalesce(json_agg(json_build_object('node_id', node_id, 'status', status, 'attempt', attempt,
        'task_id', task_id, 'error', error, 'gate', gate, 'blocked_by', blocked_by, 'deadline_ms', deadline_ms,
        'retry_at_ms', retry_at_ms, 'branch', branch, 'code', code, 'handled', handled, 'waits_for', waits_for, 'turn', turn,
        'carried', case when status <> 'completed' then output end)), '[]') from flow_run_nodes where run_id = ${id}) as node_states
    from run`.execute(db)
  const [found] = rows
  if (!found) return undefined
  const { seen_length, node_states: nodes, ...run } = found
  // After waiting for the lock, the run is current, but its nodes are from the start of the statement.
  return { run, nodes: seen_length === run.log_length ? nodes : await findNodeStates(db, id) }
}

/** Locks the run for a step of one of its loops, which does not need the nodes. */
export const lockRunRow = async (db: Db, id: string): Promise<RunRow | undefined> => {
  const { rows } =
    await sql<RunRow>`select ${columnsOf('flow_runs')} from flow_runs where id = ${id} for update`.execute(db)
  return rows[0]
}

/** Returns the event number of the change for streams. */
export const touchRun = async (db: Db, id: string, now: string): Promise<number> => {
  const { rows } = await sql<{ event_seq: number }>`
    update flow_runs set event_seq = event_seq + 1, updated_at = ${now}::timestamptz
    where id = ${id} returning event_seq`.execute(db)
  return rows[0]?.event_seq ?? 0
}

/** The initial rows of a run and of the task that represents it. */
export type NewRun = {
  id: string
  team_id: string
  user_id: string
  visibility: string
  flow_id: string
  flow_version_id: string
  graph_version: number
  task_id: string
  status: number
  input: Record<string, unknown>
  output: Record<string, unknown> | null
  error: string
  fail_on_error: boolean
  origin_run_id: string | null
  trigger_id: string | null
  run_as: unknown
  traceparent: string
  log_length: number
  now: string
  is_over: boolean
  /** The nodes of a run that ended with its first step; otherwise null, and the nodes have rows of their own. */
  nodes: readonly Partial<NodeRow>[] | null
  /** False if the task existed before the run. */
  makes_task: boolean
  task_status: number
  app_id: string
  app_version_id: string
  function: string
  task_events: readonly object[]
  webhook: string
  /** Whether the run is charged when its task ends. */
  priced: boolean
  /** For a run that is a step of another. */
  root_run_id?: string
  node_count?: number
}

export type NewNode = NodeRow & { run_id: string }
export type NewEvents = { run_id: string; seq: number; events: readonly object[]; now: string }

/**
 * Inserts runs, their tasks, nodes and first events in one statement, so that a run that completes at once needs a
 * single round trip.
 */
export const insertRuns = async (
  db: Db,
  runs: readonly NewRun[],
  nodes: readonly NewNode[],
  events: readonly NewEvents[],
): Promise<void> => {
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(runs)}::json) as r (
        id text, team_id text, user_id text, visibility text, flow_id text, flow_version_id text, graph_version bigint,
        task_id text, status smallint, input json, output json, error text, fail_on_error boolean, origin_run_id text,
        trigger_id text, run_as jsonb, log_length integer, now timestamptz, is_over boolean, makes_task boolean,
        task_status smallint, app_id text, app_version_id text, function text, task_events jsonb, webhook text, priced boolean, nodes json,
        root_run_id text, node_count integer, traceparent text)
    ), parents as (
      ${representingTasks}
    ), nodes as (
      insert into flow_run_nodes (run_id, ${nodeNames})
      select run_id, ${nodeNames}
      from json_to_recordset(${JSON.stringify(nodes)}::json) as n (run_id text, ${nodeColumns})
    ), log as (
      insert into flow_run_events (run_id, seq, events, created_at)
      select run_id, seq, events, now
      from json_to_recordset(${JSON.stringify(events)}::json) as e (run_id text, seq integer, events json, now timestamptz)
    )
    insert into flow_runs (id, team_id, user_id, visibility, flow_id, flow_version_id, graph_version, task_id, status, input,
      output, error, fail_on_error, origin_run_id, trigger_id, run_as, log_length, started_at, finished_at,
      created_at, updated_at, nodes, root_run_id, node_count, traceparent)
    select id, team_id, user_id, visibility, flow_id, flow_version_id, graph_version, task_id, status, input,
      output, error, fail_on_error, origin_run_id, trigger_id, run_as, log_length, now, case when is_over then now end,
      now, now, nodes, root_run_id, node_count, traceparent
    from given`.execute(db)
}

export type RunStep = {
  runId: string
  status: number
  output: Record<string, unknown> | null
  error: string
  isOver: boolean
  isCancelled: boolean
  /** Number of the first of the events. */
  seq: number
  events: readonly object[]
  nodes: readonly NodeRow[]
  now: string
}

/** Writes one step of a locked run; returns its event number for streams. */
export const saveStep = async (db: Db, step: RunStep): Promise<number> => {
  const { rows } = await sql<{ event_seq: number }>`
    with nodes as (
      insert into flow_run_nodes (run_id, ${nodeNames})
      select ${step.runId}, ${nodeNames}
      from json_to_recordset(${JSON.stringify(step.nodes)}::json) as n (${nodeColumns})
      on conflict (run_id, node_id) do update set status = excluded.status, attempt = excluded.attempt,
        task_id = excluded.task_id, output = excluded.output, error = excluded.error, gate = excluded.gate,
        blocked_by = excluded.blocked_by, deadline_ms = excluded.deadline_ms, retry_at_ms = excluded.retry_at_ms,
        branch = excluded.branch, code = excluded.code, handled = excluded.handled, waits_for = excluded.waits_for,
        turn = excluded.turn
    ), log as (
      insert into flow_run_events (run_id, seq, events, created_at)
      values (${step.runId}, ${step.seq}, ${JSON.stringify(step.events)}::json, ${step.now}::timestamptz)
    )
    update flow_runs set status = ${step.status}, output = ${step.output && JSON.stringify(step.output)}::json,
      error = ${step.error}, event_seq = event_seq + 1, log_length = ${step.seq + step.events.length - 1},
      finished_at = case when ${step.isOver} then ${step.now}::timestamptz end,
      cancelled_at = case when ${step.isCancelled} then ${step.now}::timestamptz end,
      updated_at = ${step.now}::timestamptz
    where id = ${step.runId}
    returning event_seq`.execute(db)
  return rows[0]?.event_seq ?? 0
}

export const findEvents = async (db: Db, runId: string, after: number, limit: number) => {
  const { rows } = await sql<{ seq: number; created_at: string; event: unknown }>`
    select s.seq + e.position - 1 as seq, s.created_at, e.event
    from flow_run_events s cross join lateral json_array_elements(s.events) with ordinality as e (event, position)
    where s.run_id = ${runId} and s.seq + json_array_length(s.events) - 1 > ${after}::int
      and s.seq + e.position - 1 > ${after}::int
    order by seq limit ${limit}::int`.execute(db)
  return rows
}

/** The run and the runs of flows inside it, the deepest first. */
export const findRunsWithin = async (db: Db, id: string) => {
  const { rows } = await sql<{ id: string; visibility: string; level: number }>`
    with recursive within as (
      select id, visibility, 1 as level from flow_runs where id = ${id}
      union all
      select flow_runs.id, flow_runs.visibility, within.level + 1
      from within join tasks on tasks.flow_run_id = within.id join flow_runs on flow_runs.id = tasks.sub_flow_run_id
    ) select id, visibility, level from within order by level desc`.execute(db)
  return rows
}

/** Both return the event number of the change for streams. */
export const setVisibility = async (db: Db, ids: readonly string[], visibility: string, now: string) => {
  const { rows } = await sql<{ id: string; event_seq: number }>`
    update flow_runs set visibility = ${visibility}, event_seq = event_seq + 1, updated_at = ${now}::timestamptz
    where id = any(${sql.val(ids)}::text[]) returning id, event_seq`.execute(db)
  return rows
}

export const setMetadata = async (db: Db, id: string, metadata: object, now: string): Promise<number> => {
  const { rows } = await sql<{ event_seq: number }>`
    update flow_runs set metadata = ${JSON.stringify(metadata)}::jsonb, event_seq = event_seq + 1,
      updated_at = ${now}::timestamptz
    where id = ${id} returning event_seq`.execute(db)
  return rows[0]?.event_seq ?? 0
}

/** The version of an app that runs this version of a flow. */
export const findAppVersion = (db: Db, flowVersionId: string) =>
  db
    .selectFrom('app_versions')
    .select(['id', 'app_id'])
    .where('flow_version_id', '=', flowVersionId)
    .limit(1)
    .executeTakeFirst()

const selectTasks = (db: Db) =>
  db.selectFrom('tasks').selectAll('tasks').select(teamOrg('tasks')).where('tasks.deleted_at', 'is', null)

export const findTasks = (db: Db, ids: readonly string[]) =>
  selectTasks(db)
    .where('tasks.id', 'in', [...ids])
    .execute()

/**
 * All tasks that nodes of the run have had, oldest first, with their visibility and the number of the latest change.
 */
export const findTaskNumbers = (db: Db, runId: string) =>
  db
    .selectFrom('tasks')
    .select(['tasks.id', 'tasks.team_id', 'tasks.user_id', 'tasks.visibility', 'tasks.event_seq'])
    .select(teamOrg('tasks'))
    .where('tasks.flow_run_id', '=', runId)
    .where('tasks.deleted_at', 'is', null)
    .orderBy('tasks.created_at')
    .orderBy('tasks.id')
    .execute()

export const visibilityOfTask = async (db: Db, id: string): Promise<string | undefined> =>
  (await db.selectFrom('tasks').select('visibility').where('id', '=', id).limit(1).executeTakeFirst())?.visibility
