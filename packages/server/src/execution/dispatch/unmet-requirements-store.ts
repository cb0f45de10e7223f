// SQL that finds the kinds of queued tasks that nothing connected can run.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { isStillQueued, neverAvailable, statusCode, type UnmetRequirement } from '../tasks/service.ts'
import { unmetRequirementOf } from './fragments.ts'
import type { ResourceNeeds } from './resources.ts'

export type UnmetRow = ResourceNeeds & { team_id: string; user_id: string; infra: string; unmet: UnmetRequirement }

/** Thousands of similar steps become one row. */
const unmetAmong = (tasks: RawBuilder<unknown>) => sql<UnmetRow>`
  select team_id, user_id, infra, gpu_count, gpu_type, gpu_vram, ram, unmet from (
    select t.*, ${unmetRequirementOf} as unmet from (
      select distinct team_id, user_id, infra, gpu_count, gpu_type, gpu_vram, ram from tasks t
      where ${tasks} and ${isStillQueued} and available_at < ${neverAvailable}::timestamptz) t) checked
  where unmet is not null`

export const findUnmetRequirements = async (db: Db, taskIds: readonly string[]): Promise<UnmetRow[]> =>
  (await unmetAmong(sql`id = any(${taskIds}::text[])`).execute(db)).rows

/**
 * Searches a flow run or chat with everything below it: flows and agents that its tasks represent, and agents called by
 * its agent. The caller must have checked access to the top one.
 */
export const findUnmetRequirementsWithin = async (db: Db, id: string): Promise<UnmetRow[]> => {
  const alive = sql`status < ${statusCode('completed')}`
  const { rows } = await sql<UnmetRow>`
    with recursive scope as (
      select ${id}::text as id
      union
      select nested.id from scope cross join lateral (
        select unnest(array[sub_flow_run_id, chat_id]) as id from tasks
        where (flow_run_id = scope.id or chat_id = scope.id) and ${alive}
        union all
        select chats.id from chats where chats.parent_id = scope.id and chats.active_run_id is not null) nested
      where nested.id is not null)
    ${unmetAmong(sql`(flow_run_id in (select id from scope) or chat_id in (select id from scope))`)}`.execute(db)
  return rows
}
