// SQL of abandoned connections: never finished, or without a holder.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/**
 * Sign-ins that were not finished in time. A connection that had tokens becomes expired; one without tokens is deleted,
 * with its vault links.
 */
export const endUnfinished = async (db: Db, begunBefore: string, now: string): Promise<void> => {
  await sql`
    with ended as (
      update credentials c set updated_at = ${now}::timestamptz,
        status = case when c.refresh_token_sealed is null and c.access_token_sealed is null then 'disconnected' else 'expired' end,
        vault_id = case when c.refresh_token_sealed is null and c.access_token_sealed is null then null else c.vault_id end
      where c.status = 'pending' and c.type in ('oauth', 'mcp') and c."grant" = 'token' and c.deleted_at is null
        and c.updated_at < ${begunBefore}::timestamptz
        and not exists (select 1 from oauth_states s where s.credential_id = c.id)
      returning c.id, c.status)
    delete from vault_credentials l using ended where l.credential_id = ended.id and ended.status = 'disconnected'`.execute(
    db,
  )
}

/** Connections of people who left the workspace, and of deleted workspaces. */
export const findOrphans = async (db: Db, limit: number): Promise<{ id: string }[]> => {
  const { rows } = await sql<{ id: string }>`
    select c.id from credentials c join teams t on t.id = c.team_id
    where c."grant" = 'token' and c.status <> 'disconnected' and c.deleted_at is null
      and (t.deleted_at is not null or (c.scope = 'user'
        and not exists (select 1 from team_members m where m.team_id = c.team_id and m.user_id = c.user_id)))
    order by c.id limit ${limit}`.execute(db)
  return rows
}
