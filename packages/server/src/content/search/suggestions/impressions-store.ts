// SQL of shown suggestions, their use, and the reports of coding agents.
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export const insertImpression = async (
  db: Db,
  impression: Insertable<Database['search_impressions']>,
): Promise<void> => {
  await db.insertInto('search_impressions').values(impression).execute()
}

export type Conversion = {
  ref: string
  resource_name: string
  resource_type: string
  /** Null: an anonymous caller. */
  owner: { teamId: string; userId: string } | null
  now: string
}

/**
 * Only for resources that the impression showed, and only by the caller who saw it; an anonymous impression accepts any
 * caller.
 */
export const insertConversion = async (db: Db, conversion: Conversion): Promise<void> => {
  const { ref, resource_name, resource_type, owner, now } = conversion
  await sql`
    insert into search_conversions (impression_id, resource_name, resource_type, created_at)
    select i.id, shown ->> 'name', shown ->> 'type', ${now}::timestamptz
    from search_impressions i, jsonb_array_elements(i.results) shown
    where i.id = ${ref}
      and (i.team_id is null or (i.team_id = ${owner?.teamId ?? null} and i.user_id = ${owner?.userId ?? null}))
      and (shown ->> 'name' = ${resource_name} or split_part(shown ->> 'name', '/', 2) = ${resource_name})
    order by (shown ->> 'type' = ${resource_type}) desc limit 1
    on conflict do nothing`.execute(db)
}

export const deleteImpressions = async (db: Db, before: string, anonymousBefore: string): Promise<void> => {
  await sql`
    with gone as (delete from search_impressions
      where created_at < ${before}::timestamptz or (team_id is null and created_at < ${anonymousBefore}::timestamptz)
      returning id)
    delete from search_conversions where impression_id in (select id from gone)`.execute(db)
}

export const upsertSession = async (db: Db, session: Insertable<Database['agent_sessions']>): Promise<void> => {
  await db
    .insertInto('agent_sessions')
    .values(session)
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'session_id']).doUpdateSet((row) => ({
        user_id: row.ref('excluded.user_id'),
        agent: row.ref('excluded.agent'),
        messages: row.ref('excluded.messages'),
        user_turns: row.ref('excluded.user_turns'),
        files_edited: row.ref('excluded.files_edited'),
        tools: row.ref('excluded.tools'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute()
}

export const deleteSessions = async (db: Db, before: string): Promise<void> => {
  await db.deleteFrom('agent_sessions').where('updated_at', '<', before).execute()
}
