// SQL of remotes and their profiles.
import { newId } from '@millrace/contract/ids'
import { type InferResult, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'
import type { ReportedProfile } from './profiles.ts'

/** Every live remote; the caller adds conditions. */
export const selectRemotes = (db: Db) =>
  db.selectFrom('remotes').selectAll('remotes').select(teamOrg('remotes')).where('remotes.deleted_at', 'is', null)

export type RemoteRow = InferResult<ReturnType<typeof selectRemotes>>[number]
export type ProfileRow = Selectable<Database['remote_profiles']>

/** By full or short id; an ambiguous short id matches nothing. */
export const findRemote = async (db: Db, id: string): Promise<RemoteRow | undefined> => {
  const rows = await selectRemotes(db).where(idMatches('remotes.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const lockRemote = async (db: Db, id: string): Promise<RemoteRow | undefined> => {
  const rows = await selectRemotes(db).where(idMatches('remotes.id', id)).limit(2).forUpdate('remotes').execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const lockRemoteByKey = (
  db: Db,
  teamId: string,
  userId: string,
  publicKey: string,
): Promise<RemoteRow | undefined> =>
  selectRemotes(db)
    .where('remotes.team_id', '=', teamId)
    .where('remotes.user_id', '=', userId)
    .where('remotes.public_key', '=', publicKey)
    .where('remotes.public_key', '<>', '')
    .forUpdate('remotes')
    .limit(1)
    .executeTakeFirst()

/** False if the machine is already registered. */
export const insertRemote = async (db: Db, remote: Insertable<Database['remotes']>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('remotes')
    .values(remote)
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'user_id', 'public_key'])
        .where('deleted_at', 'is', null)
        .where(sql<boolean>`public_key <> ''`)
        .doNothing(),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const updateRemote = async (db: Db, id: string, change: Updateable<Database['remotes']>): Promise<void> => {
  await db.updateTable('remotes').set(change).where('id', '=', id).where('deleted_at', 'is', null).execute()
}

export const countRemotes = async (db: Db, teamId: string, userId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('remotes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Chats with an active run of the agent, and sessions that are opening. */
const atWork = sql<number>`(select count(*) from harness_sessions s join chats c on c.id = s.chat_id
  where s.profile_id = remote_profiles.id
    and (s.status = 'opening' or (s.status = 'open' and c.active_run_id is not null)))`

/** Busy means at the concurrency limit. */
const shownStatus = sql<ProfileRow['status']>`case when status = 'idle' and ${atWork} >= max_concurrent then 'busy'
  else status end`

export const profilesOf = (db: Db, remoteIds: readonly string[]): Promise<ProfileRow[]> =>
  db
    .selectFrom('remote_profiles')
    .selectAll()
    .select(shownStatus.as('status'))
    .where('remote_id', '=', sql<string>`any(${remoteIds}::text[])`)
    .orderBy('harness_kind')
    .execute()

/** By full or short id. */
export const isProfile = ({ id }: ProfileRow, text: string): boolean => id === text || id.slice(0, 8) === text

/** Inserts new kinds; of known ones updates what the machine reports. */
export const saveProfiles = async (
  db: Db,
  remote: { id: string; teamId: string },
  reported: readonly ReportedProfile[],
  now: string,
): Promise<void> => {
  if (reported.length === 0) return
  await db
    .insertInto('remote_profiles')
    .values(
      reported.map(({ capabilities, ...profile }) => ({
        ...profile,
        id: newId(),
        remote_id: remote.id,
        team_id: remote.teamId,
        capabilities: JSON.stringify(capabilities),
        created_at: now,
        updated_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['remote_id', 'harness_kind']).doUpdateSet({
        command: (eb) => eb.ref('excluded.command'),
        status: (eb) => eb.ref('excluded.status'),
        version: (eb) => eb.ref('excluded.version'),
        capabilities: (eb) => eb.ref('excluded.capabilities'),
        updated_at: now,
      }),
    )
    .execute()
}

export const retireProfiles = async (
  db: Db,
  remoteId: string,
  kinds: readonly string[],
  now: string,
): Promise<void> => {
  await db
    .updateTable('remote_profiles')
    .set({ status: 'unavailable', updated_at: now })
    .where('remote_id', '=', remoteId)
    .where('harness_kind', '<>', sql<string>`all(${kinds}::text[])`)
    .execute()
}
