// SQL of OAuth apps: credentials whose grant is `credentials`. Their values are stored as secrets.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** The workspace's own app, or else the app that the platform shares. */
export const findApp = (db: Db, teamId: string, slug: string) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('provider', '=', slug)
    .where('grant', '=', 'credentials')
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('team_id', '=', teamId), where('scope', '=', 'platform')]))
    .orderBy(sql`team_id = ${teamId} and scope = 'team' desc`)
    .limit(1)
    .executeTakeFirst()

export type AppRow = NonNullable<Awaited<ReturnType<typeof findApp>>>

export const findApps = (db: Db, teamId: string): Promise<AppRow[]> =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('grant', '=', 'credentials')
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('team_id', '=', teamId), where('scope', '=', 'platform')]))
    .orderBy(sql`team_id = ${teamId} and scope = 'team' desc`)
    .execute()

export const findAppById = (db: Db, id: string): Promise<AppRow | undefined> =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export type NewApp = {
  id: string
  team_id: string
  user_id: string
  provider: string
  type: 'oauth' | 'mcp'
  scope: 'team' | 'platform'
  display_name: string
  icon_url: string
  now: string
}

/** Finds or creates the row and locks it, so that two changes of one app run one after the other. */
export const upsertApp = async (db: Db, row: NewApp): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    insert into credentials (id, team_id, user_id, visibility, provider, type, "grant", scope, status, display_name, icon_url,
      is_primary, created_at, updated_at)
    values (${row.id}, ${row.team_id}, ${row.user_id}, 'team', ${row.provider}, ${row.type}, 'credentials', ${row.scope},
      'pending', ${row.display_name}, ${row.icon_url}, true, ${row.now}::timestamptz, ${row.now}::timestamptz)
    on conflict (team_id, provider, scope) where "grant" = 'credentials' and deleted_at is null
    do update set updated_at = excluded.updated_at, display_name = excluded.display_name
    returning id`.execute(db)
  const [upserted] = rows
  if (!upserted) throw new Error('The OAuth app was neither made nor found')
  return upserted.id
}

export const setAppState = (
  db: Db,
  id: string,
  state: { status: 'pending' | 'connected'; metadata: string },
): Promise<AppRow> =>
  db.updateTable('credentials').set(state).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const deleteApps = async (
  db: Db,
  { slug, scope, teamId }: { slug: string; scope: 'team' | 'platform'; teamId: string },
  now: string,
): Promise<void> => {
  await db
    .updateTable('credentials')
    .set({ deleted_at: now, updated_at: now })
    .where('provider', '=', slug)
    .where('team_id', '=', teamId)
    .where('scope', '=', scope)
    .where('grant', '=', 'credentials')
    .where('deleted_at', 'is', null)
    .execute()
}
