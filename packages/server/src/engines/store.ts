// SQL of engines and their workers.
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Database } from '../db/schema.gen.ts'
import { teamOrg } from '../db/visibility.ts'

export type EngineRow = Selectable<Database['engines']>
export type WorkerRow = Selectable<Database['workers']>

export const findEngine = (db: Db, id: string): Promise<(EngineRow & { team_org_id: string | null }) | undefined> =>
  db
    .selectFrom('engines')
    .selectAll('engines')
    .select(teamOrg('engines'))
    .where((where) => (id.length === 8 ? where('id', 'like', `${id}%`) : where('id', '=', id)))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

export const lockEngine = (db: Db, id: string): Promise<EngineRow | undefined> =>
  db
    .selectFrom('engines')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

export const workersOf = (db: Db, engineIds: readonly string[]): Promise<WorkerRow[]> =>
  engineIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('workers')
        .selectAll()
        .where('engine_id', '=', sql<string>`any(${engineIds}::text[])`)
        .where('deleted_at', 'is', null)
        .orderBy('index')
        .execute()

/** Idle workers of connected engines that take work; locked, so that two dispatchers never give one worker two tasks. */
export const lockIdleWorkers = async (db: Db) => {
  const { rows } = await sql<
    WorkerRow & { engine_name: string; infra: 'cloud' | 'private'; engine_team_id: string; public_key: string }
  >`
    select w.*, e.name as engine_name, e.infra, e.team_id as engine_team_id, e.public_key
    from workers w join engines e on e.id = w.engine_id
    where w.status = 'idle' and w.deleted_at is null and e.status = 'running' and e.connected and e.deleted_at is null
    order by w.idle_since nulls first, w.id
    for update of w skip locked`.execute(db)
  return rows
}

export const lockQueuedTasks = async (db: Db, now: string, limit: number) => {
  const { rows } = await sql<Selectable<Database['tasks']>>`
    select * from tasks
    where status = 2 and deleted_at is null and available_at <= ${now}::timestamptz
    order by available_at, created_at limit ${limit}
    for update skip locked`.execute(db)
  return rows
}

/** How many tasks of each team hold a slot, and the limit where one is set. */
export const concurrencyOf = async (db: Db, teamIds: readonly string[]) => {
  const { rows } = await sql<{ team_id: string; running: number; limit: number | null }>`
    select t.id as team_id,
      (select count(*) from tasks where tasks.team_id = t.id and tasks.status between 3 and 9) as running,
      (select e."limit" from entitlements e where e.team_id = t.id and e.resource = 'concurrency' and not e.unlimited
        order by array_position(array['override', 'whitelist', 'trial', 'addon', 'tier'], e.source) limit 1) as limit
    from teams t where t.id = any(${teamIds}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.team_id, row]))
}

export type Assignment = { taskId: string; workerId: string; engineId: string; event: object }

export const assignTasks = async (db: Db, assignments: readonly Assignment[], now: string) => {
  const { rows } = await sql<Selectable<Database['tasks']>>`
    update tasks set status = 3, attempt = attempt + 1, engine_id = a.engine_id, worker_id = a.worker_id,
      accepted_at = null, event_seq = event_seq + 1, updated_at = ${now}::timestamptz, events = events || a.event
    from (select * from unnest(${assignments.map((one) => one.taskId)}::text[], ${assignments.map((one) => one.workerId)}::text[],
      ${assignments.map((one) => one.engineId)}::text[], ${assignments.map((one) => JSON.stringify([one.event]))}::jsonb[])
      as a (task_id, worker_id, engine_id, event)) a
    where tasks.id = a.task_id and tasks.status = 2
    returning tasks.*`.execute(db)
  return rows
}

export const reserveWorkers = async (
  db: Db,
  reservations: readonly {
    workerId: string
    taskId: string
    appId: string
    versionId: string
    sessionId: string | null
  }[],
  now: string,
): Promise<void> => {
  await sql`
    update workers set status = 'reserved', task_id = r.task_id, app_id = r.app_id, app_version_id = r.version_id,
      active_session_id = coalesce(r.session_id, workers.active_session_id), updated_at = ${now}::timestamptz
    from (select * from unnest(${reservations.map((one) => one.workerId)}::text[], ${reservations.map((one) => one.taskId)}::text[],
      ${reservations.map((one) => one.appId)}::text[], ${reservations.map((one) => one.versionId)}::text[],
      ${reservations.map((one) => one.sessionId)}::text[]) as r (worker_id, task_id, app_id, version_id, session_id)) r
    where workers.id = r.worker_id`.execute(db)
}

export const bindSession = async (db: Db, sessionId: string, engineId: string, workerId: string): Promise<void> => {
  await db
    .updateTable('app_sessions')
    .set({ engine_id: engineId, worker_id: workerId })
    .where('id', '=', sessionId)
    .where('worker_id', 'is', null)
    .execute()
}

/** The worker is free again, unless it has been given something else meanwhile. */
export const releaseWorker = async (db: Db, taskId: string, now: string): Promise<void> => {
  await db
    .updateTable('workers')
    .set({ status: 'idle', task_id: null, idle_since: now, updated_at: now })
    .where('task_id', '=', taskId)
    .where('status', 'in', ['reserved', 'busy'])
    .execute()
}

export const retireWorkers = async (db: Db, workerIds: readonly string[], now: string): Promise<void> => {
  await db
    .updateTable('workers')
    .set({ status: 'inactive', task_id: null, active_session_id: null, warm_apps: [], updated_at: now })
    .where('id', '=', sql<string>`any(${workerIds}::text[])`)
    .execute()
}

export const liveTasksOf = (db: Db, where: { engineId: string } | { workerIds: readonly string[] }) => {
  const query = db
    .selectFrom('tasks')
    .select(['id', 'attempt', 'status', 'worker_id', 'engine_id'])
    .where('status', '>=', 3)
    .where('status', '<=', 9)
  return 'engineId' in where
    ? query.where('engine_id', '=', where.engineId).execute()
    : query.where('worker_id', '=', sql<string>`any(${where.workerIds}::text[])`).execute()
}
