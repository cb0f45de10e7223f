// SQL of the key credentials that secrets belong to.
import { sql } from 'kysely'
import { aloneWith } from '#platform/db/alone.ts'
import type { Db } from '#platform/db/database.ts'
import type { ConnectionScope } from './rules.ts'

/** Changes of the links between secrets and credentials run one at a time within a workspace. */
export const lockLinks = (db: Db, teamId: string): Promise<void> => aloneWith(db, `secrets/links/${teamId}`)

/** The description of a provider by the workspace itself, or else by the platform's operators. */
export const findWrittenProvider = (db: Db, teamId: string, slug: string) =>
  db
    .selectFrom('auth_providers')
    .select(['display_name', 'connection_scope'])
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('scope', '=', 'platform'), where('team_id', '=', teamId)]))
    .orderBy(sql`scope = 'team' desc`)
    .limit(1)
    .executeTakeFirst()

export type KeyCredential = {
  id: string
  team_id: string
  user_id: string
  org_id: string | null
  visibility: string
  provider: string
  scope: ConnectionScope
  /** Null keeps the name of an existing credential. */
  display_name: string | null
  fallback_name: string
  website: string | null
  now: string
}

/** The one key credential of a provider and holder: created, or found and connected again. */
export const connectKeyCredential = async (db: Db, row: KeyCredential): Promise<string> => {
  const metadata = row.website === null ? {} : { website: row.website }
  const { rows } = await sql<{ id: string }>`
    insert into credentials (id, team_id, user_id, org_id, visibility, provider, type, "grant", scope, status, display_name,
      metadata, is_primary, created_at, updated_at)
    values (${row.id}, ${row.team_id}, ${row.user_id}, ${row.org_id}, ${row.visibility}, ${row.provider}, 'api_key', 'token',
      ${row.scope}, 'connected', ${row.display_name ?? row.fallback_name}, ${JSON.stringify(metadata)}::jsonb,
      not exists (select 1 from credentials where team_id = ${row.team_id} and provider = ${row.provider}
        and scope = ${row.scope} and "grant" = 'token' and is_primary and deleted_at is null),
      ${row.now}::timestamptz, ${row.now}::timestamptz)
    on conflict (team_id, provider, scope, (case scope when 'user' then user_id else '' end))
      where type = 'api_key' and "grant" = 'token' and deleted_at is null
    do update set status = 'connected', error_message = '', updated_at = excluded.updated_at,
      display_name = coalesce(${row.display_name}::text, credentials.display_name),
      metadata = credentials.metadata || excluded.metadata
    returning id`.execute(db)
  const [made] = rows
  if (!made) throw new Error('The credential was neither created nor found')
  return made.id
}

export const setStatus = async (
  db: Db,
  credentialId: string,
  status: 'connected' | 'disconnected',
  now: string,
): Promise<void> => {
  await db
    .updateTable('credentials')
    .set({ status, error_message: '', updated_at: now })
    .where('id', '=', credentialId)
    .where('type', '=', 'api_key')
    .where('deleted_at', 'is', null)
    .execute()
}

export const setVault = async (db: Db, credentialId: string, vaultId: string | null): Promise<void> => {
  await db.updateTable('credentials').set({ vault_id: vaultId }).where('id', '=', credentialId).execute()
}

export const hasSecrets = async (db: Db, credentialId: string): Promise<boolean> => {
  const row = await db
    .selectFrom('secrets')
    .select('id')
    .where('credential_id', '=', credentialId)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const findIconTarget = (db: Db, credentialId: string) =>
  db
    .selectFrom('credentials')
    .select(['id', 'icon_url', 'metadata'])
    .where('id', '=', credentialId)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const setIconIfEmpty = async (db: Db, credentialId: string, iconUrl: string): Promise<void> => {
  await db
    .updateTable('credentials')
    .set({ icon_url: iconUrl })
    .where('id', '=', credentialId)
    .where('icon_url', '=', '')
    .execute()
}
