// SQL of the reason why a queued task waits: the workers that it may use, and the runs before it.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { WaitingTask } from '../tasks/extension-points.ts'
import { isQueued } from '../tasks/service.ts'
import { gpuRoomOf, isInReach } from './fragments.ts'
import type { OfferedWorkers } from './queue-reason.ts'

/** Equal workers as one row, however many engines there are. */
export const listOfferedWorkers = async (
  db: Db,
  { team_id, user_id, infra }: { team_id: string; user_id: string; infra: string },
): Promise<OfferedWorkers[]> => {
  const { rows } = await sql<OfferedWorkers>`
    select w.gpu_count, w.gpu_type, w.gpu_vram, w.ram, count(*)::int as workers,
      count(*) filter (where w.status <> 'idle' or w.active_session_id is not null or e.status <> 'running')::int as busy,
      max(${gpuRoomOf}) filter (where w.status = 'idle' and w.active_session_id is null) as gpu_room
    from (select ${team_id}::text as team_id, ${user_id}::text as user_id, ${infra}::text as infra) t, workers w join engines e on e.id = w.engine_id
    where w.deleted_at is null and e.connected and e.deleted_at is null and ${isInReach}
    group by 1, 2, 3, 4`.execute(db)
  return rows
}

/** Counting more would add load while the queue is long. */
const maxCounted = 1_000

/**
 * The queued runs before this one: those of its workspace, and of each other workspace as many as of its own, because
 * workspaces take turns. Only runs that need a GPU count for a run that needs one, and the others for the others.
 */
export const countAhead = async (db: Db, task: WaitingTask, now: string): Promise<number> => {
  const { rows } = await sql<{ ahead: number }>`
    with waiting as (
      select tasks.team_id, row_number() over (partition by tasks.team_id order by tasks.available_at, tasks.created_at) as turn,
        (tasks.available_at, tasks.created_at, tasks.id)
          < (${task.available_at}::timestamptz, ${task.created_at}::timestamptz, ${task.id}) as before
      from (select * from tasks where ${isQueued} and available_at <= ${now}::timestamptz
        and (gpu_count > 0) = ${task.gpu_count > 0} and id <> ${task.id}
        order by available_at limit ${maxCounted}) tasks),
    own as (select count(*) as ahead from waiting where team_id = ${task.team_id} and before)
    select count(*)::int as ahead from waiting cross join own
    where before and (waiting.team_id = ${task.team_id} or turn <= own.ahead + 1)`.execute(db)
  return rows[0]?.ahead ?? 0
}
