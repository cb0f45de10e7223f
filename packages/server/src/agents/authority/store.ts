// SQL of authority: every link by id, with only the columns that links show.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

const selectTasks = (db: Db) =>
  db
    .selectFrom('tasks')
    .leftJoin('app_versions', 'app_versions.id', 'tasks.app_version_id')
    .leftJoin('apps', 'apps.id', 'tasks.app_id')
    .select([
      ...(['tasks.id', 'tasks.team_id', 'tasks.user_id', 'tasks.visibility', 'tasks.run_as', 'tasks.app_id'] as const),
      ...(['tasks.flow_run_id', 'tasks.sub_flow_run_id', 'tasks.flow_node_id', 'tasks.chat_id'] as const),
      ...(['tasks.metadata', 'tasks.created_at', 'apps.namespace', 'apps.name'] as const),
      ...(['app_versions.required_secrets', 'app_versions.required_credentials'] as const),
    ])
    .select(teamOrg('tasks'))
    .where('tasks.deleted_at', 'is', null)

export type TaskLink = Awaited<ReturnType<ReturnType<typeof selectTasks>['executeTakeFirstOrThrow']>>

export const findTask = async (db: Db, id: string): Promise<TaskLink | undefined> => {
  const rows = await selectTasks(db).where(idMatches('tasks.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

const maxTasks = 1_000

/** The tasks of a flow run's nodes, oldest first. */
export const findTasksOfFlowRun = (db: Db, flowRunId: string): Promise<TaskLink[]> =>
  selectTasks(db)
    .where('tasks.flow_run_id', '=', flowRunId)
    .orderBy('tasks.created_at')
    .orderBy('tasks.id')
    .limit(maxTasks)
    .execute()

const selectFlowRuns = (db: Db) =>
  db
    .selectFrom('flow_runs')
    .select([
      ...(['id', 'team_id', 'user_id', 'visibility', 'flow_id', 'task_id', 'trigger_id', 'run_as'] as const),
      ...(['created_at'] as const),
    ])
    .select(teamOrg('flow_runs'))

export type FlowRunLink = Awaited<ReturnType<ReturnType<typeof selectFlowRuns>['executeTakeFirstOrThrow']>>

export const findFlowRun = async (db: Db, id: string): Promise<FlowRunLink | undefined> => {
  const rows = await selectFlowRuns(db).where(idMatches('flow_runs.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

/** A run is readable if its chat is. */
const selectRuns = (db: Db) =>
  db
    .selectFrom('agent_runs')
    .innerJoin('chats', 'chats.id', 'agent_runs.chat_id')
    .select([
      ...(['agent_runs.id', 'agent_runs.chat_id', 'agent_runs.agent_id', 'agent_runs.tool_invocation_id'] as const),
      ...(['agent_runs.trigger_id', 'agent_runs.flow_run_id', 'agent_runs.run_as', 'agent_runs.started_by'] as const),
      ...(['agent_runs.created_at', 'agent_runs.user_id', 'chats.team_id', 'chats.visibility'] as const),
      'chats.user_id as chat_user_id',
    ])
    .select(teamOrg('chats'))

export type RunLink = Awaited<ReturnType<ReturnType<typeof selectRuns>['executeTakeFirstOrThrow']>>

export const findRun = (db: Db, id: string): Promise<RunLink | undefined> =>
  selectRuns(db).where('agent_runs.id', '=', id).limit(1).executeTakeFirst()

/** The run that called its model with this task, or that was active in the chat when a handler's task was created. */
export const findRunOfTask = (
  db: Db,
  task: { id: string; chatId: string; createdAt: string },
): Promise<RunLink | undefined> =>
  selectRuns(db)
    .where('agent_runs.chat_id', '=', task.chatId)
    .where('agent_runs.created_at', '<=', sql<string>`${task.createdAt}::timestamptz + interval '1 second'`)
    .orderBy(
      sql`exists (select from chat_messages m where m.agent_run_id = agent_runs.id and m.task_id = ${task.id})`,
      'desc',
    )
    .orderBy('agent_runs.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

const selectCalls = (db: Db) =>
  db.selectFrom('tool_invocations').select(['id', 'name', 'run_id', 'execution_id', 'allowed_by', 'used', 'created_at'])

export type CallLink = Awaited<ReturnType<ReturnType<typeof selectCalls>['executeTakeFirstOrThrow']>>

export const findCall = (db: Db, id: string): Promise<CallLink | undefined> =>
  selectCalls(db).where('id', '=', id).limit(1).executeTakeFirst()

export const findCallOfTask = (db: Db, taskId: string): Promise<CallLink | undefined> =>
  selectCalls(db).where('execution_id', '=', taskId).limit(1).executeTakeFirst()

export const findCallsOfRun = (db: Db, runId: string): Promise<CallLink[]> =>
  selectCalls(db).where('run_id', '=', runId).orderBy('created_at').orderBy('position').execute()

export type TriggerLink = { id: string; name: string; created_at: string }

/** Undefined if the trigger was deleted. */
export const findTrigger = (db: Db, teamId: string, id: string): Promise<TriggerLink | undefined> =>
  db
    .selectFrom('triggers')
    .select(['id', 'name', 'created_at'])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()
