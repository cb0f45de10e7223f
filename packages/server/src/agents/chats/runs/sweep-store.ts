// SQL of repairs: runs that missed an event, tasks that outlived their run, and chats that were deleted long ago.
import { sql } from 'kysely'
import { statusCode } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'

/** Live tasks of a finished run, and chats of its children with active runs. */
export const findLeftovers = async (db: Db, runId: string): Promise<{ tasks: string[]; chats: string[] }> => {
  const { rows } = await sql<{ kind: 'task' | 'chat'; id: string }>`
    with r as (select * from agent_runs where id = ${runId} and finished_at is not null),
    waited as (
      select model_task_id as id from r where model_task_id is not null
      union all select execution_id from tool_invocations i join r on i.run_id = r.id where i.execution_id is not null)
    select 'task' as kind, t.id from waited w join tasks t on t.id = w.id where t.status < ${statusCode('cancelling')}
    union all
    select 'chat', c.id from tool_invocations i join r on i.run_id = r.id join agent_runs child on child.id = i.execution_id
      join chats c on c.id = child.chat_id and c.active_run_id = child.id`.execute(db)
  const of = (kind: 'task' | 'chat') => rows.filter((row) => row.kind === kind).map((row) => row.id)
  return { tasks: of('task'), chats: of('chat') }
}

/** Chats with an active run that this person started. */
export const findLiveChatsOf = async (db: Db, teamId: string, userId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('agent_runs')
    .select('chat_id')
    .distinct()
    .where('finished_at', 'is', null)
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .execute()
  return rows.map((row) => row.chat_id)
}

export type StuckRun = {
  run_id: string
  chat_id: string
  task_id: string | null
  status: number | null
  output: unknown
  error: string | null
}

/** Runs that wait for a task that has ended or no longer exists. There are none unless a step was lost. */
export const findStuckRuns = async (db: Db, before: string, limit: number): Promise<StuckRun[]> => {
  const { rows } = await sql<StuckRun>`
    select r.id as run_id, r.chat_id, t.id as task_id, t.status, t.output, t.error
    from agent_runs r left join tasks t on t.id = r.model_task_id
    where r.finished_at is null and r.updated_at < ${before}::timestamptz and r.phase in ('thinking', 'compacting')
      and r.model_task_id is not null and (t.id is null or t.status >= ${statusCode('completed')})
    union all
    select r.id, r.chat_id, t.id, t.status, t.output, t.error
    from agent_runs r join tool_invocations i on i.run_id = r.id and i.status = 'in_progress'
      join tasks t on t.id = i.execution_id
    where r.finished_at is null and r.updated_at < ${before}::timestamptz and t.status >= ${statusCode('completed')}
    limit ${limit}`.execute(db)
  return rows
}

/** Runs that ended some time ago and left a task running. */
export const findAbandoned = async (db: Db, before: string, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct r.id from (
      select id, chat_id from tasks where status = ${statusCode('queued')} and deleted_at is null and chat_id is not null
      union all select id, chat_id from tasks where status between ${statusCode('dispatched')} and ${statusCode('running')} and chat_id is not null
    ) as t
    join lateral (
      select run_id from tool_invocations where execution_id = t.id
      union all select a.id from agent_runs a where a.chat_id = t.chat_id and a.model_task_id = t.id
    ) w on true
    join agent_runs r on r.id = w.run_id
    where r.finished_at < ${before}::timestamptz limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

export const findChatsDeletedBefore = async (db: Db, before: string, limit: number): Promise<string[]> => {
  const rows = await db.selectFrom('chats').select('id').where('deleted_at', '<', before).limit(limit).execute()
  return rows.map((row) => row.id)
}

/** Deletes the chats with everything in them. */
export const deleteChats = async (db: Db, ids: readonly string[]): Promise<void> => {
  await sql`
    with messages as (delete from chat_messages where chat_id = any(${ids}::text[])),
    calls as (delete from tool_invocations where chat_id = any(${ids}::text[])),
    asked as (delete from interrupts where chat_id = any(${ids}::text[])),
    hooks as (delete from hook_calls where chat_id = any(${ids}::text[])),
    runs as (delete from agent_runs where chat_id = any(${ids}::text[]))
    delete from chats where id = any(${ids}::text[])`.execute(db)
}
