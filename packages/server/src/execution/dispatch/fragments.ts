// SQL that says who may take what, used by the statement that makes a task and by the look at the queue. Everywhere `t` is a
// task, `w` a worker and `e` its engine. matching.ts says the same in TypeScript, and a test holds the two against each other.
import { sql } from 'kysely'
import type { Lack } from '../tasks/service.ts'

/** Worker `w` of engine `e` is there and has nothing to do. */
export const takesWork = sql`w.status = 'idle' and w.deleted_at is null and e.status = 'running' and e.connected and e.deleted_at is null`

/** Worker `w` has what task `t` asks for. */
export const hasResources = sql`w.gpu_count >= t.gpu_count and (w.ram = 0 or w.ram >= t.ram)
  and (t.gpu_count = 0 or (w.gpu_vram >= t.gpu_vram and t.gpu_type in ('', w.gpu_type)))`

/** Engine `e` is one that task `t` may go to, as far as its `infra` says. */
export const isInReach = sql`((e.infra = 'cloud' and t.infra <> 'private') or (e.team_id = t.team_id and t.infra <> 'cloud'))`

/** What task `t` waits for in vain: an engine that it may go to, or a worker there with what it needs; whatever those do now. */
export const lackOf = sql<Lack | null>`case
  when not exists (select 1 from engines e where e.connected and e.deleted_at is null and ${isInReach}) then 'engine'
  when not exists (select 1 from workers w join engines e on e.id = w.engine_id
    where w.deleted_at is null and e.connected and e.deleted_at is null and ${isInReach} and ${hasResources}) then 'resources' end`

/**
 * Which of the workers that task `t` could go to gets it: for `private_first` one of its own workspace, then one that is set
 * up for exactly this, for the same version, for the same app, then the one that is idle longest.
 */
export const byPreference = sql`(t.infra = 'private_first' and e.team_id = t.team_id) desc,
  case when t.warm_key = any(w.warm_apps) then 3
    when exists (select 1 from unnest(w.warm_apps) k where starts_with(k, t.app_id || ':' || t.app_version_id || '@')) then 2
    when exists (select 1 from unnest(w.warm_apps) k where starts_with(k, t.app_id || ':')) then 1 else 0 end desc,
  w.idle_since nulls first, w.id`

/** GPU and CPU workers `w` are counted separately per engine, from 0, whatever they are doing. */
export const workerNumber = sql<number>`(select count(*) from workers o where o.engine_id = w.engine_id and o.deleted_at is null
  and (o.gpu_count > 0) = (w.gpu_count > 0) and o.index < w.index)`
