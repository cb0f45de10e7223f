// SQL of secrets and their versions.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type SecretScope = 'team' | 'internal' | 'system'

/** Secrets with their current value. */
export const secretsWithValue = (db: Db) =>
  db
    .selectFrom('secrets')
    .innerJoin('secret_versions', (join) =>
      join
        .onRef('secret_versions.secret_id', '=', 'secrets.id')
        .onRef('secret_versions.number', '=', 'secrets.version'),
    )

/** Live secrets with the hint of their current value. */
export const liveSecrets = (db: Db) =>
  secretsWithValue(db)
    .select([
      'secrets.id',
      'secrets.team_id',
      'secrets.user_id',
      'secrets.key',
      'secrets.description',
      'secrets.scope',
      'secrets.credential_id',
      'secrets.version',
      'secrets.created_at',
      'secrets.updated_at',
      'secret_versions.hint',
    ])
    .where('secrets.deleted_at', 'is', null)

export type SecretRow = NonNullable<Awaited<ReturnType<typeof findByKey>>>

/** The workspace's own secret has precedence over one of the same name that a credential manages. */
const teamFirst = sql`secrets.scope = 'team' desc`

export const findByKey = (db: Db, teamId: string, key: string) =>
  liveSecrets(db)
    .where('secrets.team_id', '=', teamId)
    .where('secrets.key', '=', key)
    .orderBy(teamFirst)
    .limit(1)
    .executeTakeFirst()

/**
 * Locks the id that `findByKey` finds, until the transaction ends. The row is read afterwards: a transaction that
 * waited for the lock would otherwise join the new row with an old version.
 */
export const lockByKey = (db: Db, teamId: string, key: string) =>
  db
    .selectFrom('secrets')
    .select('id')
    .where('team_id', '=', teamId)
    .where('key', '=', key)
    .where('deleted_at', 'is', null)
    .orderBy(teamFirst)
    .limit(1)
    .forUpdate()
    .executeTakeFirst()

export const lockByScope = (db: Db, teamId: string, scope: SecretScope, key: string) =>
  db
    .selectFrom('secrets')
    .select(['id', 'version'])
    .where('team_id', '=', teamId)
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

export const findById = (db: Db, teamId: string, id: string) =>
  liveSecrets(db).where('secrets.team_id', '=', teamId).where('secrets.id', '=', id).limit(1).executeTakeFirstOrThrow()

export const findByVault = (db: Db, teamId: string, vaultId: string) =>
  liveSecrets(db)
    .innerJoin('vault_secrets', 'vault_secrets.secret_id', 'secrets.id')
    .where('vault_secrets.vault_id', '=', vaultId)
    .where('secrets.team_id', '=', teamId)
    .orderBy('secrets.key')
    .execute()

export type NewSecret = {
  id: string
  team_id: string
  user_id: string
  key: string
  description: string
  scope: SecretScope
  created_at: string
  updated_at: string
}

/** False when the key is taken. */
export const insertSecret = async (db: Db, row: NewSecret): Promise<boolean> => {
  const made = await db
    .insertInto('secrets')
    .values(row)
    .onConflict((conflict) => conflict.columns(['team_id', 'scope', 'key']).where('deleted_at', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

export type NewVersion = {
  id: string
  secret_id: string
  team_id: string
  number: number
  value_sealed: Buffer
  hint: string
  user_id: string
  created_at: string
}

export const insertVersion = async (db: Db, row: NewVersion): Promise<void> => {
  await db.insertInto('secret_versions').values(row).execute()
}

export const setVersion = async (
  db: Db,
  secretId: string,
  change: { version: number; description?: string; updated_at: string },
): Promise<void> => {
  await db.updateTable('secrets').set(change).where('id', '=', secretId).execute()
}

/** Deletes the versions before `oldest`. */
export const deleteVersionsBefore = async (db: Db, secretId: string, oldest: number): Promise<void> => {
  await db.deleteFrom('secret_versions').where('secret_id', '=', secretId).where('number', '<', oldest).execute()
}

export const deleteVersions = async (db: Db, secretId: string): Promise<void> => {
  await db.deleteFrom('secret_versions').where('secret_id', '=', secretId).execute()
}

export const findVersions = (db: Db, secretId: string) =>
  db
    .selectFrom('secret_versions')
    .select(['id', 'number', 'hint', 'user_id', 'created_at'])
    .where('secret_id', '=', secretId)
    .orderBy('number', 'desc')
    .execute()

export const findVersion = (db: Db, secretId: string, id: string) =>
  db
    .selectFrom('secret_versions')
    .select(['id', 'number', 'value_sealed'])
    .where('secret_id', '=', secretId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()

export const findPresentVersion = (db: Db, secretId: string) =>
  secretsWithValue(db)
    .select(['secret_versions.id', 'secret_versions.value_sealed'])
    .where('secrets.id', '=', secretId)
    .limit(1)
    .executeTakeFirst()

export const setCredential = async (
  db: Db,
  secretId: string,
  credentialId: string | null,
  now: string,
): Promise<void> => {
  await db
    .updateTable('secrets')
    .set({ credential_id: credentialId, updated_at: now })
    .where('id', '=', secretId)
    .execute()
}

export const deleteSecret = async (db: Db, secretId: string, now: string): Promise<void> => {
  await db
    .updateTable('secrets')
    .set({ deleted_at: now, updated_at: now, credential_id: null })
    .where('id', '=', secretId)
    .execute()
}

export const findTeamPlace = (db: Db, teamId: string) =>
  db.selectFrom('teams').select(['type', 'org_id']).where('id', '=', teamId).limit(1).executeTakeFirst()
