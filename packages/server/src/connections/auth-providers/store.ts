// SQL of auth providers and of their companies.
import type { AuthSpec } from '@millrace/contract/auth-providers'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'

const columns = [
  'id',
  'team_id',
  'user_id',
  'slug',
  'provider',
  'display_name',
  'icon_url',
  'icon_given',
  'website',
  'description',
  'docs_url',
  'how_it_works',
  'scope',
  'connection_scope',
  'specs',
  'mcp_server_url',
  'created_at',
  'updated_at',
] as const

const live = (db: Db) => db.selectFrom('auth_providers').select(columns).where('deleted_at', 'is', null)

type StoredRow = NonNullable<Awaited<ReturnType<ReturnType<typeof live>['executeTakeFirst']>>>

/** `specs` were validated before they were written. */
export type ProviderRow = Omit<StoredRow, 'specs'> & { specs: AuthSpec[] }

const typed = (row: StoredRow): ProviderRow => ({ ...row, specs: row.specs as AuthSpec[] })

const bySlug = sql`slug collate "C"`

export const findTeamRows = async (db: Db, teamId: string): Promise<ProviderRow[]> =>
  (await live(db).where('team_id', '=', teamId).orderBy(bySlug).execute()).map(typed)

export const findPlatformRows = async (db: Db): Promise<ProviderRow[]> =>
  (await live(db).where('scope', '=', 'platform').orderBy(bySlug).execute()).map(typed)

export const findById = async (db: Db, id: string): Promise<ProviderRow | undefined> => {
  const row = await live(db).where(idMatches('auth_providers.id', id)).limit(1).executeTakeFirst()
  return row && typed(row)
}

export const lockById = async (db: Db, id: string): Promise<ProviderRow | undefined> => {
  const row = await live(db).where(idMatches('auth_providers.id', id)).limit(1).forUpdate().executeTakeFirst()
  return row && typed(row)
}

/** The workspace's own row has precedence over the platform's. */
export const findBySlug = async (db: Db, teamId: string, slug: string): Promise<ProviderRow | undefined> => {
  const row = await live(db)
    .where('slug', '=', slug)
    .where((where) => where.or([where('scope', '=', 'platform'), where('team_id', '=', teamId)]))
    .orderBy(sql`scope = 'team' desc`)
    .limit(1)
    .executeTakeFirst()
  return row && typed(row)
}

export const findByMcpServer = async (db: Db, teamId: string, serverUrl: string): Promise<ProviderRow | undefined> => {
  const row = await live(db)
    .where('mcp_server_url', '=', serverUrl)
    .where((where) => where.or([where('scope', '=', 'platform'), where('team_id', '=', teamId)]))
    .orderBy(sql`scope = 'team' desc`)
    .limit(1)
    .executeTakeFirst()
  return row && typed(row)
}

export type NewProvider = {
  id: string
  team_id: string | null
  user_id: string | null
  slug: string
  provider: string
  display_name: string
  icon_url: string
  icon_given: boolean
  website: string
  description: string
  docs_url: string
  how_it_works: string[]
  scope: 'team' | 'platform'
  connection_scope: 'team' | 'user'
  specs: string
  mcp_server_url: string | null
  created_at: string
  updated_at: string
}

/** Returns nothing when the slug is taken. */
export const insertProvider = async (db: Db, row: NewProvider): Promise<ProviderRow | undefined> => {
  const made = await db
    .insertInto('auth_providers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()
  return made && typed(made)
}

export type ProviderChange = Partial<
  Pick<
    NewProvider,
    | 'provider'
    | 'display_name'
    | 'icon_url'
    | 'icon_given'
    | 'website'
    | 'description'
    | 'docs_url'
    | 'how_it_works'
    | 'connection_scope'
    | 'specs'
  >
> & { updated_at: string; edited_at: string }

export const updateProvider = async (db: Db, id: string, change: ProviderChange): Promise<ProviderRow> =>
  typed(
    await db
      .updateTable('auth_providers')
      .set(change)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirstOrThrow(),
  )

export const setIconIfEmpty = async (db: Db, id: string, website: string, iconUrl: string): Promise<void> => {
  await db
    .updateTable('auth_providers')
    .set({ icon_url: iconUrl })
    .where('id', '=', id)
    .where('website', '=', website)
    .where('icon_url', '=', '')
    .where('deleted_at', 'is', null)
    .execute()
}

export const deleteProvider = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('auth_providers').set({ deleted_at: now, updated_at: now }).where('id', '=', id).execute()
}

/** Whether a live connection with this slug exists in one workspace, or in any workspace (null). */
export const hasConnection = async (db: Db, slug: string, teamId: string | null): Promise<boolean> => {
  const all = db
    .selectFrom('credentials')
    .select('id')
    .where('provider', '=', slug)
    .where('grant', '=', 'token')
    .where('status', '=', 'connected')
    .where('deleted_at', 'is', null)
    .limit(1)
  const found = await (teamId === null ? all : all.where('team_id', '=', teamId)).limit(1).executeTakeFirst()
  return found !== undefined
}

/** Deletes all connections of a workspace to a deleted provider. */
export const deleteConnections = async (db: Db, teamId: string, slug: string, now: string): Promise<void> => {
  await db
    .updateTable('credentials')
    .set({
      deleted_at: now,
      updated_at: now,
      access_token_sealed: null,
      refresh_token_sealed: null,
      id_token_sealed: null,
    })
    .where('team_id', '=', teamId)
    .where('provider', '=', slug)
    .where('grant', '=', 'token')
    .where('deleted_at', 'is', null)
    .execute()
}

export const findCompany = (db: Db, slug: string) =>
  db.selectFrom('companies').select(['slug', 'icon_url']).where('slug', '=', slug).limit(1).executeTakeFirst()

export type NewCompany = {
  slug: string
  display_name: string
  type: 'oauth' | 'api_key'
  website: string
  icon_url: string
}

/** A known company keeps all its values, except that a missing icon is added. */
export const saveCompany = async (db: Db, { slug, ...row }: NewCompany, now: string): Promise<void> => {
  await sql`
    insert into companies (slug, display_name, type, website, icon_url, created_at, updated_at)
    values (${slug}, ${row.display_name}, ${row.type}, ${row.website}, ${row.icon_url}, ${now}::timestamptz, ${now}::timestamptz)
    on conflict (slug) do update set icon_url = excluded.icon_url, updated_at = excluded.updated_at
      where companies.icon_url = '' and excluded.icon_url <> ''`.execute(db)
}
