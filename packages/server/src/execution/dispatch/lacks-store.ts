// SQL of what waits in vain: the kinds of waiting tasks that nothing connected can take.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { isStillQueued, type Lack, neverAvailable, statusCode } from '../tasks/service.ts'
import { lackOf } from './fragments.ts'
import type { Needs } from './resources.ts'

export type LackRow = Needs & { infra: string; lack: Lack }

/** Thousands of steps of one kind are one row. */
const lacksAmong = (tasks: RawBuilder<unknown>) => sql<LackRow>`
  select infra, gpu_count, gpu_type, gpu_vram, ram, lack from (
    select t.*, ${lackOf} as lack from (
      select distinct team_id, infra, gpu_count, gpu_type, gpu_vram, ram from tasks t
      where ${tasks} and ${isStillQueued} and available_at < ${neverAvailable}::timestamptz) t) judged
  where lack is not null`

export const findLacks = async (db: Db, taskIds: readonly string[]): Promise<LackRow[]> =>
  (await lacksAmong(sql`id = any(${taskIds}::text[])`).execute(db)).rows

/**
 * Within a flow run or a chat: flows and agents that its tasks stand for, and agents that its agent asked, are part of it.
 * That the caller may see the one at the top is the caller's to know.
 */
export const findLacksWithin = async (db: Db, id: string): Promise<LackRow[]> => {
  const alive = sql`status < ${statusCode('completed')}`
  const { rows } = await sql<LackRow>`
    with recursive place as (
      select ${id}::text as id
      union
      select below.id from place cross join lateral (
        select unnest(array[sub_flow_run_id, chat_id]) as id from tasks
        where (flow_run_id = place.id or chat_id = place.id) and ${alive}
        union all
        select chats.id from chats where chats.parent_id = place.id and chats.active_run_id is not null) below
      where below.id is not null)
    ${lacksAmong(sql`(flow_run_id in (select id from place) or chat_id in (select id from place))`)}`.execute(db)
  return rows
}
