// SQL of the rule that keeps the last idle shared worker back (last-worker.ts).
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { SharedUse } from './last-worker.ts'

/** The workspace that uses worker `w`, null if it is idle. A worker that is leased to a session is in use. */
const holder = sql`case when w.status = 'idle' and w.active_session_id is null then null
  else coalesce(w.warm_team_id, (select s.team_id from app_sessions s where s.id = w.active_session_id), '') end`

const sharedUse = sql<SharedUse>`
  select w.gpu_count > 0 as has_gpu, ${holder} as team_id, count(*)::int as workers
  from workers w join engines e on e.id = w.engine_id
  where e.infra = 'cloud' and e.status = 'running' and e.connected and e.deleted_at is null
    and w.status <> 'inactive' and w.deleted_at is null
  group by 1, 2`

export const findSharedUse = async (db: Db): Promise<SharedUse[]> => (await sharedUse.execute(db)).rows

/**
 * By kind of worker, how many shared workers the workspace may take now. A kind without a row has no limit. `cpu`,
 * `gpu`: the other active workspaces.
 */
export const sharedLimits = (teamId: RawBuilder<unknown>, cpu: RawBuilder<unknown>, gpu: RawBuilder<unknown>) => sql`
  select u.has_gpu, greatest(u.idle - 1, case when ${teamId} = any(u.holders) then 0 else 1 end) as allowed
  from (
    select has_gpu, coalesce(sum(workers) filter (where team_id is null), 0) as idle,
      coalesce(array_agg(team_id) filter (where team_id is not null), '{}') as holders
    from (${sharedUse}) one group by has_gpu) u
  where exists (
    select 1 from unnest(case when u.has_gpu then ${gpu} else ${cpu} end) as other (id) where other.id <> all(u.holders))`
