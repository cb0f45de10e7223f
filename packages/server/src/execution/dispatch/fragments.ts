// SQL rules for which worker may run a task, used by the insert of a task and by the queue query. `t` is always a task,
// `w` a worker and `e` its engine. matching.ts has the same rules in TypeScript, and a test compares both.
import { type RawBuilder, sql } from 'kysely'
import type { UnmetRequirement } from '../tasks/service.ts'

/** Worker `w` of engine `e` is connected and idle. */
export const takesWork = sql`w.status = 'idle' and w.deleted_at is null and e.status = 'running' and e.connected and e.deleted_at is null`

/** Worker `w` has the resources that task `t` requires. */
export const hasResources = sql`w.gpu_count >= t.gpu_count and (w.ram = 0 or w.ram >= t.ram)
  and (t.gpu_count = 0 or (w.gpu_vram >= t.gpu_vram and t.gpu_type in ('', w.gpu_type)))`

/** The GPU memory per card that task `t` needs on worker `w`. An app that declares nothing needs all of it. */
const gpuNeed = sql`coalesce(nullif(t.gpu_vram, 0), w.gpu_vram)`

/**
 * The GPU memory that worker `w` can give to a task. Workers of the same cards leave out what their tasks and sessions
 * need; idle apps do not count, because the engine ends them.
 */
export const gpuRoomOf = sql<number>`case when w.shared_gpus = '{}' then w.gpu_vram else w.card_vram - coalesce((
  select sum(o.gpu_need) from workers o where o.engine_id = w.engine_id and o.id <> w.id and o.deleted_at is null
    and o.shared_gpus && w.shared_gpus and (o.task_id is not null or o.active_session_id is not null)), 0) end`

/** The cards of worker `w` have room for task `t`. Reads `gpu_room` as computed by `gpuRoomOf`. */
export const hasRoom = (room: RawBuilder<unknown>) => sql`(t.gpu_count = 0 or ${gpuNeed} <= ${room})`

/** The `infra` of task `t` allows engine `e`. A private engine runs the tasks of its owner only. */
export const isInReach = sql`((e.infra = 'cloud' and t.infra <> 'private') or (e.team_id = t.team_id and t.infra <> 'cloud'
  and (e.visibility <> 'private' or e.user_id = t.user_id)))`

/**
 * The requirement of task `t` that nothing connected meets, busy or not: an engine that it may use, or a worker there
 * with the required resources.
 */
export const unmetRequirementOf = sql<UnmetRequirement | null>`case
  when not exists (select 1 from engines e where e.connected and e.deleted_at is null and ${isInReach}) then 'engine'
  when not exists (select 1 from workers w join engines e on e.id = w.engine_id
    where w.deleted_at is null and e.connected and e.deleted_at is null and ${isInReach} and ${hasResources}) then 'resources' end`

/**
 * Ranks the possible workers of task `t`: for `private_first` a worker of its own workspace, then one that is warm for
 * exactly this app setup, then for the same version, then for the same app, then the one that has been idle longest.
 */
export const byPreference = sql`(t.infra = 'private_first' and e.team_id = t.team_id) desc,
  case when t.warm_key = any(w.warm_apps) then 3
    when exists (select 1 from unnest(w.warm_apps) k where starts_with(k, t.app_id || ':' || t.app_version_id || '@')) then 2
    when exists (select 1 from unnest(w.warm_apps) k where starts_with(k, t.app_id || ':')) then 1 else 0 end desc,
  w.idle_since nulls first, w.id`

/** Numbers GPU and CPU workers `w` separately per engine, from 0, in every status. */
export const workerNumber = sql<number>`(select count(*) from workers o where o.engine_id = w.engine_id and o.deleted_at is null
  and (o.gpu_count > 0) = (w.gpu_count > 0) and o.index < w.index)`
