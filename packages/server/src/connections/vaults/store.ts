// SQL of vaults and their links.
import { sql } from 'kysely'
import { aloneWith } from '#platform/db/alone.ts'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'

/** Live vaults with the number of linked live secrets and credentials. */
export const liveVaults = (db: Db) =>
  db
    .selectFrom('vaults')
    .select([
      'vaults.id',
      'vaults.team_id',
      'vaults.user_id',
      'vaults.name',
      'vaults.description',
      'vaults.is_default',
      'vaults.created_at',
      'vaults.updated_at',
      sql<number>`(select count(*) from vault_secrets l join secrets s on s.id = l.secret_id
        where l.vault_id = vaults.id and s.deleted_at is null)`.as('secret_count'),
      sql<number>`(select count(*) from vault_credentials l join credentials c on c.id = l.credential_id
        where l.vault_id = vaults.id and c.deleted_at is null)`.as('credential_count'),
    ])
    .where('vaults.deleted_at', 'is', null)

export type VaultRow = NonNullable<Awaited<ReturnType<typeof findVault>>>

export const findVault = (db: Db, teamId: string, id: string) =>
  liveVaults(db).where('vaults.team_id', '=', teamId).where(idMatches('vaults.id', id)).limit(1).executeTakeFirst()

export const lockVault = (db: Db, teamId: string, id: string): Promise<VaultRow | undefined> =>
  liveVaults(db)
    .where('vaults.team_id', '=', teamId)
    .where(idMatches('vaults.id', id))
    .forUpdate('vaults')
    .limit(1)
    .executeTakeFirst()

/** Without counts: counting the members would slow down each new secret. */
export const findDefaultId = async (db: Db, teamId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('vaults')
    .select('id')
    .where('team_id', '=', teamId)
    .where('is_default', '=', true)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

export type NewVault = {
  id: string
  team_id: string
  user_id: string
  name: string
  description: string
  created_at: string
  updated_at: string
}

export const insertVault = async (db: Db, row: NewVault): Promise<void> => {
  await db.insertInto('vaults').values(row).execute()
}

/**
 * Writes nothing when the workspace has a default vault. The predicate of the conflict has no parameters; with
 * parameters, PostgreSQL's generic plan would not find the index.
 */
export const insertDefault = async (db: Db, row: NewVault): Promise<void> => {
  await db
    .insertInto('vaults')
    .values({ ...row, is_default: true })
    .onConflict((conflict) =>
      conflict.column('team_id').where(sql<boolean>`is_default and deleted_at is null`).doNothing(),
    )
    .execute()
}

/** Requests that move the default flag of a workspace run one at a time. */
export const lockDefaultFlag = (db: Db, teamId: string): Promise<void> => aloneWith(db, `vaults/default/${teamId}`)

export const clearDefault = async (db: Db, teamId: string, now: string): Promise<void> => {
  await db
    .updateTable('vaults')
    .set({ is_default: false, updated_at: now })
    .where('team_id', '=', teamId)
    .where('is_default', '=', true)
    .where('deleted_at', 'is', null)
    .execute()
}

export const replaceVault = async (
  db: Db,
  id: string,
  values: { name: string; description: string; is_default: boolean; updated_at: string },
): Promise<void> => {
  await db.updateTable('vaults').set(values).where('id', '=', id).execute()
}

export const deleteVault = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('vaults').set({ deleted_at: now, updated_at: now }).where('id', '=', id).execute()
}

export const deleteSecretLinksOfVault = async (db: Db, vaultId: string): Promise<void> => {
  await db.deleteFrom('vault_secrets').where('vault_id', '=', vaultId).execute()
}

export const deleteCredentialLinksOfVault = async (db: Db, vaultId: string): Promise<void> => {
  await db.deleteFrom('vault_credentials').where('vault_id', '=', vaultId).execute()
}

export const linkSecret = async (db: Db, vaultId: string, secretId: string): Promise<void> => {
  await db
    .insertInto('vault_secrets')
    .values({ vault_id: vaultId, secret_id: secretId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const linkCredential = async (db: Db, vaultId: string, credentialId: string): Promise<void> => {
  await db
    .insertInto('vault_credentials')
    .values({ vault_id: vaultId, credential_id: credentialId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const unlinkSecret = async (db: Db, vaultId: string, secretId: string): Promise<void> => {
  await db.deleteFrom('vault_secrets').where('vault_id', '=', vaultId).where('secret_id', '=', secretId).execute()
}

export const unlinkCredential = async (db: Db, vaultId: string, credentialId: string): Promise<void> => {
  await db
    .deleteFrom('vault_credentials')
    .where('vault_id', '=', vaultId)
    .where('credential_id', '=', credentialId)
    .execute()
}

/** A credential without a vault name gets this vault's name. */
export const nameVault = async (db: Db, vaultId: string, credentialId: string): Promise<void> => {
  await db
    .updateTable('credentials')
    .set({ vault_id: vaultId })
    .where('id', '=', credentialId)
    .where('vault_id', 'is', null)
    .execute()
}

/** Credentials named after this vault get the name of another vault that contains them, or none. */
export const nameOtherVault = async (db: Db, teamId: string, vaultId: string): Promise<void> => {
  await sql`
    update credentials c set vault_id =
      (select l.vault_id from vault_credentials l where l.credential_id = c.id order by l.vault_id limit 1)
    where c.team_id = ${teamId} and c.vault_id = ${vaultId}
      and not exists (select 1 from vault_credentials l where l.vault_id = ${vaultId} and l.credential_id = c.id)`.execute(
    db,
  )
}

export const deleteLinksOfSecret = async (db: Db, secretId: string): Promise<void> => {
  await db.deleteFrom('vault_secrets').where('secret_id', '=', secretId).execute()
}

export const deleteLinksOfCredential = async (db: Db, credentialId: string): Promise<void> => {
  await db.deleteFrom('vault_credentials').where('credential_id', '=', credentialId).execute()
}

/** A live secret managed by people, locked against deletion until the transaction ends. */
export const lockSecret = (db: Db, teamId: string, id: string) =>
  db
    .selectFrom('secrets')
    .select('id')
    .where('team_id', '=', teamId)
    .where(idMatches('secrets.id', id))
    .where('scope', '=', 'team')
    .where('deleted_at', 'is', null)
    .forShare()
    .limit(1)
    .executeTakeFirst()

export const lockCredential = (db: Db, teamId: string, id: string) =>
  db
    .selectFrom('credentials')
    .select(['id', 'scope'])
    .where('team_id', '=', teamId)
    .where(idMatches('credentials.id', id))
    .where('deleted_at', 'is', null)
    .forShare()
    .limit(1)
    .executeTakeFirst()

export const findCredentialsOfVault = (db: Db, teamId: string, vaultId: string) =>
  db
    .selectFrom('credentials')
    .innerJoin('vault_credentials', 'vault_credentials.credential_id', 'credentials.id')
    .select([
      'credentials.id',
      'credentials.provider',
      'credentials.type',
      'credentials.scope',
      'credentials.status',
      'credentials.display_name',
      'credentials.scopes',
      'credentials.is_primary',
      'credentials.created_at',
      'credentials.updated_at',
    ])
    .where('vault_credentials.vault_id', '=', vaultId)
    .where('credentials.team_id', '=', teamId)
    .where('credentials.deleted_at', 'is', null)
    .orderBy('credentials.provider')
    .orderBy('credentials.id')
    .execute()
