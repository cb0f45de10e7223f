// SQL of credentials. The statements decide which rows are visible and usable: a connection is reached through the
// scopes agent, user, team, organization and platform, in this order of precedence.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

const live = (db: Db) =>
  db.selectFrom('credentials').selectAll('credentials').select(teamOrg('credentials')).where('deleted_at', 'is', null)

export const liveCredentials = live

export type CredentialRow = NonNullable<Awaited<ReturnType<ReturnType<typeof live>['executeTakeFirst']>>>

/** The owner in whose name a connection is searched. */
export type CredentialHolder = {
  readonly teamId: string
  readonly userId: string
  readonly agentId?: string | undefined
}

const reachedBy = ({ teamId, userId, agentId = '' }: CredentialHolder) => sql<boolean>`(
  (credentials.team_id = ${teamId} and (
    credentials.scope = 'team'
    or (credentials.scope = 'user' and credentials.user_id = ${userId})
    or (credentials.scope = 'agent' and credentials.metadata->>'agent_id' = ${agentId})))
  or (credentials.scope = 'org' and credentials.org_id = (select org_id from teams where id = ${teamId}))
  or credentials.scope = 'platform')`

const nearest = sql`array_position(array['agent', 'user', 'team', 'org', 'platform'], credentials.scope)`
const connectedFirst = sql`credentials.status = 'connected' desc`

/** Connections that a holder could use, in order of precedence; of one provider or (null) of all. */
export const findReachable = (db: Db, holder: CredentialHolder, slug: string | null): Promise<CredentialRow[]> => {
  const rows = live(db)
    .where('credentials.grant', '=', 'token')
    .where('credentials.status', '<>', 'disconnected')
    .where(reachedBy(holder))
  return (slug === null ? rows : rows.where('credentials.provider', '=', slug))
    .orderBy(connectedFirst)
    .orderBy(nearest)
    .orderBy('credentials.is_primary', 'desc')
    .orderBy('credentials.updated_at', 'desc')
    .orderBy('credentials.id')
    .execute()
}

/**
 * By full or short id, among the connections a holder can reach and those its workspace owns; for organization admins,
 * also those of the organization's workspaces.
 */
export const findByIdFor = (
  db: Db,
  holder: CredentialHolder,
  id: string,
  administeredOrgId: string | null = null,
): Promise<CredentialRow | undefined> =>
  live(db)
    .where(idMatches('credentials.id', id))
    .where(
      sql<boolean>`(${reachedBy(holder)} or credentials.team_id = ${holder.teamId}
        or credentials.team_id in (select id from teams where org_id = ${administeredOrgId}))`,
    )
    .limit(1)
    .executeTakeFirst()

/** For signed-out callers: public connections by slug or id. */
export const findPublic = (db: Db, text: string): Promise<CredentialRow | undefined> =>
  live(db)
    .where('credentials.visibility', 'in', ['public', 'unlisted'])
    .where((where) =>
      where.or([
        where.and([where('credentials.provider', '=', text), where('credentials.visibility', '=', 'public')]),
        idMatches('credentials.id', text) as never,
      ]),
    )
    .limit(1)
    .executeTakeFirst()

/** A workspace's own connections of one provider that this member may manage, in order of precedence. */
export const findOwn = (db: Db, { teamId, userId }: CredentialHolder, slug: string): Promise<CredentialRow[]> =>
  live(db)
    .where('credentials.provider', '=', slug)
    .where('credentials.grant', '=', 'token')
    .where('credentials.status', '<>', 'disconnected')
    .where('credentials.team_id', '=', teamId)
    .where(sql<boolean>`(credentials.scope <> 'user' or credentials.user_id = ${userId})`)
    .orderBy(nearest)
    .orderBy(connectedFirst)
    .execute()

/** All connections of a workspace to a provider, of all members. */
export const findOfProvider = (db: Db, teamId: string, slug: string): Promise<CredentialRow[]> =>
  live(db)
    .where('credentials.provider', '=', slug)
    .where('credentials.grant', '=', 'token')
    .where('credentials.team_id', '=', teamId)
    .where('credentials.status', '<>', 'disconnected')
    .orderBy('credentials.id')
    .execute()

export const findById = (db: Db, id: string): Promise<CredentialRow | undefined> =>
  live(db).where('credentials.id', '=', id).limit(1).executeTakeFirst()

export const lockById = async (db: Db, id: string): Promise<CredentialRow | undefined> => {
  await db.selectFrom('credentials').select('id').where('id', '=', id).forUpdate().limit(1).executeTakeFirst()
  return findById(db, id)
}

export type NewConnection = {
  id: string
  team_id: string
  user_id: string
  org_id: string | null
  visibility: string
  provider: string
  type: 'oauth' | 'mcp' | 'service_account' | 'wif'
  scope: 'user' | 'team' | 'org' | 'platform'
  display_name: string
  icon_url: string
  now: string
}

/** The one connection of a provider, type and holder: created as pending, or found unchanged. */
export const upsertConnection = async (db: Db, row: NewConnection): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    insert into credentials (id, team_id, user_id, org_id, visibility, provider, type, "grant", scope, status, display_name,
      icon_url, is_primary, created_at, updated_at)
    values (${row.id}, ${row.team_id}, ${row.user_id}, ${row.org_id}, ${row.visibility}, ${row.provider}, ${row.type}, 'token',
      ${row.scope}, 'pending', ${row.display_name}, ${row.icon_url},
      not exists (select 1 from credentials c where c.team_id = ${row.team_id} and c.provider = ${row.provider}
        and c.scope = ${row.scope} and c."grant" = 'token' and c.is_primary and c.deleted_at is null
        and (c.scope <> 'user' or c.user_id = ${row.user_id})),
      ${row.now}::timestamptz, ${row.now}::timestamptz)
    on conflict (team_id, provider, type, scope,
        (case scope when 'user' then user_id when 'agent' then coalesce(metadata->>'agent_id', '') else '' end))
      where type <> 'api_key' and "grant" = 'token' and deleted_at is null
    do update set display_name = excluded.display_name, icon_url = excluded.icon_url, updated_at = excluded.updated_at,
      status = case credentials.status when 'connected' then 'connected' else 'pending' end, error_message = ''
    returning id`.execute(db)
  const [upserted] = rows
  if (!upserted) throw new Error('The connection was neither created nor found')
  return upserted.id
}

/** The one key connection of a provider and holder: created as pending, or found unchanged. */
export const upsertKeyConnection = async (db: Db, row: Omit<NewConnection, 'type'>): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    insert into credentials (id, team_id, user_id, org_id, visibility, provider, type, "grant", scope, status, display_name,
      icon_url, is_primary, created_at, updated_at)
    values (${row.id}, ${row.team_id}, ${row.user_id}, ${row.org_id}, ${row.visibility}, ${row.provider}, 'api_key', 'token',
      ${row.scope}, 'pending', ${row.display_name}, ${row.icon_url}, true, ${row.now}::timestamptz, ${row.now}::timestamptz)
    on conflict (team_id, provider, scope, (case scope when 'user' then user_id else '' end))
      where type = 'api_key' and "grant" = 'token' and deleted_at is null
    do update set display_name = excluded.display_name, icon_url = excluded.icon_url, updated_at = excluded.updated_at
    returning id`.execute(db)
  const [upserted] = rows
  if (!upserted) throw new Error('The connection was neither created nor found')
  return upserted.id
}

export type ConnectionState = {
  status: 'connected' | 'pending' | 'error' | 'expired' | 'disconnected'
  error_message?: string
  scopes?: string[]
  expires_at?: string | null
  account_identifier?: string
  account_name?: string
  app_credential_id?: string | null
  vault_id?: string | null
  metadata?: string
  access_token_sealed?: Buffer | null
  refresh_token_sealed?: Buffer | null
  id_token_sealed?: Buffer | null
  refresh_lease?: null
  refresh_lease_until?: null
  updated_at: string
}

export const setVault = async (db: Db, id: string, vaultId: string): Promise<void> => {
  await db.updateTable('credentials').set({ vault_id: vaultId }).where('id', '=', id).execute()
}

/** Each change of the token increments the generation, so that users of an older token notice. */
export const setState = (db: Db, id: string, state: ConnectionState): Promise<unknown> =>
  db
    .updateTable('credentials')
    .set(
      state.access_token_sealed === undefined
        ? state
        : { ...state, token_generation: sql<number>`token_generation + 1` },
    )
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()

/** A refused sign-in ends a pending connection; an existing connection keeps working. */
export const setRefused = async (db: Db, id: string, message: string, now: string): Promise<void> => {
  await db
    .updateTable('credentials')
    .set({ status: 'error', error_message: message, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

/** Acquires the lease for a refresh unless another process holds it; the database's clock decides. */
export const takeLease = async (db: Db, id: string, lease: string, seconds: number): Promise<boolean> => {
  const taken = await db
    .updateTable('credentials')
    .set({ refresh_lease: lease, refresh_lease_until: sql<string>`now() + make_interval(secs => ${seconds})` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where((where) =>
      where.or([where('refresh_lease', 'is', null), where('refresh_lease_until', '<', sql<string>`now()`)]),
    )
    .returning('id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Writes only while this process still holds the lease; a paused process must not overwrite newer tokens. */
export const settleLease = async (
  db: Db,
  id: string,
  lease: string,
  state: ConnectionState | null,
): Promise<boolean> => {
  const freed = { refresh_lease: null, refresh_lease_until: null }
  const settled = await db
    .updateTable('credentials')
    .set(
      state?.access_token_sealed === undefined
        ? { ...state, ...freed }
        : { ...state, ...freed, token_generation: sql<number>`token_generation + 1` },
    )
    .where('id', '=', id)
    .where('refresh_lease', '=', lease)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return settled !== undefined
}

/**
 * Connections whose token expires before this time, and those that expired since `endedSince` without a final refusal,
 * because the cause may be gone.
 */
export const findEnding = (db: Db, before: string, endedSince: string, limit: number) =>
  db
    .selectFrom('credentials')
    .select('id')
    .where((where) =>
      where.or([
        where('status', '=', 'connected'),
        where.and([
          where('status', '=', 'expired'),
          where('refresh_token_sealed', 'is not', null),
          where('expires_at', '>', endedSince),
        ]),
      ]),
    )
    .where('grant', '=', 'token')
    .where('deleted_at', 'is', null)
    .where('expires_at', '<', before)
    .where((where) =>
      where.or([where('refresh_lease', 'is', null), where('refresh_lease_until', '<', sql<string>`now()`)]),
    )
    .orderBy('expires_at', 'desc')
    .limit(limit)
    .execute()

/** The number of connections of a workspace. */
export const countConnections = async (db: Db, teamId: string): Promise<number> => {
  const row = await db
    .selectFrom('credentials')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('grant', '=', 'token')
    .where('status', '<>', 'disconnected')
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.count
}
