// SQL of MCP servers, the directory, and cached tools.
import type { McpTool } from '@millrace/contract/mcp-servers'
import { type InferResult, type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { isDuplicate } from '#platform/db/violations.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

export const selectServers = (db: Db) =>
  db.selectFrom('mcp_servers').selectAll('mcp_servers').select(teamOrg('mcp_servers'))

export type ServerRow = InferResult<ReturnType<typeof selectServers>>[number]

/** By full or short id; an ambiguous short id matches nothing. */
export const findServer = async (db: Db, id: string): Promise<ServerRow | undefined> => {
  const rows = await selectServers(db).where(idMatches('mcp_servers.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findServerBySlug = (db: Db, teamId: string, slug: string): Promise<ServerRow | undefined> =>
  selectServers(db).where('team_id', '=', teamId).where('slug', '=', slug).limit(1).executeTakeFirst()

export const findServerByProvider = (db: Db, teamId: string, provider: string): Promise<ServerRow | undefined> =>
  selectServers(db)
    .where('team_id', '=', teamId)
    .where('provider', '=', provider)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()

/** True if another server of the workspace uses the same provider. */
export const isProviderShared = async (
  db: Db,
  teamId: string,
  provider: string,
  exceptId: string,
): Promise<boolean> => {
  const other = await db
    .selectFrom('mcp_servers')
    .select('id')
    .where('team_id', '=', teamId)
    .where('provider', '=', provider)
    .where('id', '<>', exceptId)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

export const countServers = async (db: Db, teamId: string): Promise<number> => {
  const row = await db
    .selectFrom('mcp_servers')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow()
  return row.count
}

export const findNamespace = async (db: Db, teamId: string): Promise<string> => {
  const row = await db.selectFrom('teams').select('username').where('id', '=', teamId).limit(1).executeTakeFirst()
  return row?.username ?? ''
}

/** False if the slug is taken in the workspace. */
export const insertServer = async (db: Db, row: Insertable<Database['mcp_servers']>): Promise<boolean> => {
  const made = await db
    .insertInto('mcp_servers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['team_id', 'slug']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

/** False if the slug is taken in the workspace. */
export const updateServer = async (
  db: Db,
  id: string,
  change: Updateable<Database['mcp_servers']>,
): Promise<boolean> => {
  try {
    await db.updateTable('mcp_servers').set(change).where('id', '=', id).execute()
    return true
  } catch (error) {
    if (isDuplicate(error, 'mcp_servers_slug')) return false
    throw error
  }
}

export const deleteServer = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('mcp_servers').where('id', '=', id).execute()
}

export const selectListings = (db: Db) => db.selectFrom('mcp_directory').selectAll('mcp_directory')

export type ListingRow = InferResult<ReturnType<typeof selectListings>>[number]

export const findListing = (db: Db, slug: string): Promise<ListingRow | undefined> =>
  selectListings(db).where('slug', '=', slug).limit(1).executeTakeFirst()

export const findListingByUrl = (db: Db, serverUrl: string): Promise<ListingRow | undefined> =>
  selectListings(db).where('server_url', '=', serverUrl).limit(1).executeTakeFirst()

export type SeedListing = Pick<
  ListingRow,
  | 'id'
  | 'slug'
  | 'title'
  | 'description'
  | 'server_url'
  | 'documentation_url'
  | 'category'
  | 'auth_type'
  | 'is_featured'
  | 'rank'
>

/** Synchronizes the directory with the catalog, including deletions. */
export const seedListings = async (
  db: Db,
  rows: readonly SeedListing[],
  namespace: string,
  now: string,
): Promise<void> => {
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (id text, slug text, title text,
    description text, server_url text, documentation_url text, category text, auth_type text, is_featured boolean, rank int)`
  await sql`
    with gone as (delete from mcp_directory d where not exists (select from ${given} where s.slug = d.slug))
    insert into mcp_directory as held (id, slug, namespace, name, title, description, server_url, documentation_url, category,
      auth_type, is_featured, rank, created_at, updated_at)
    select s.id, s.slug, ${namespace}, s.slug, s.title, s.description, s.server_url, s.documentation_url, s.category,
      s.auth_type, s.is_featured, s.rank, ${now}::timestamptz, ${now}::timestamptz from ${given}
    on conflict (slug) do update set title = excluded.title, description = excluded.description,
      server_url = excluded.server_url, documentation_url = excluded.documentation_url, category = excluded.category,
      auth_type = excluded.auth_type, is_featured = excluded.is_featured, rank = excluded.rank,
      updated_at = excluded.updated_at
    where (held.title, held.description, held.server_url, held.documentation_url, held.category, held.auth_type,
        held.is_featured, held.rank)
      is distinct from (excluded.title, excluded.description, excluded.server_url, excluded.documentation_url,
        excluded.category, excluded.auth_type, excluded.is_featured, excluded.rank)`.execute(db)
}

export const countInstall = async (db: Db, serverUrl: string): Promise<void> => {
  await sql`update mcp_directory set installs = installs + 1 where server_url = ${serverUrl}`.execute(db)
}

export const countUse = async (db: Db, serverUrl: string): Promise<void> => {
  await sql`update mcp_directory set uses = uses + 1 where server_url = ${serverUrl}`.execute(db)
}

export type ToolsKey = { teamId: string; serverUrl: string; credentialId: string }

export const findTools = async (
  db: Db,
  { teamId, serverUrl, credentialId }: ToolsKey,
): Promise<{ tools: McpTool[]; fetched_at: string } | undefined> => {
  const row = await db
    .selectFrom('mcp_tools')
    .select(['tools', 'fetched_at'])
    .where('team_id', '=', teamId)
    .where('server_url', '=', serverUrl)
    .where('credential_id', '=', credentialId)
    .limit(1)
    .executeTakeFirst()
  return row && { tools: row.tools as McpTool[], fetched_at: row.fetched_at }
}

export const saveTools = async (
  db: Db,
  { teamId, serverUrl, credentialId }: ToolsKey,
  tools: readonly McpTool[],
  now: string,
): Promise<void> => {
  await sql`
    insert into mcp_tools (team_id, server_url, credential_id, tools, fetched_at)
    values (${teamId}, ${serverUrl}, ${credentialId}, ${JSON.stringify(tools)}::jsonb, ${now}::timestamptz)
    on conflict (team_id, server_url, credential_id)
    do update set tools = excluded.tools, fetched_at = excluded.fetched_at`.execute(db)
}

/** Tools that were not used for a long time. */
export const deleteOldTools = async (db: Db, before: string): Promise<void> => {
  await db.deleteFrom('mcp_tools').where('fetched_at', '<', before).execute()
}
