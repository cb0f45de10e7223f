// SQL of sign-ins in progress.
import type { Db } from '#platform/db/database.ts'

export type NewState = {
  id: string
  state_hash: Buffer
  team_id: string
  user_id: string
  credential_id: string
  app_credential_id: string
  provider: string
  scopes: string[]
  redirect_uri: string
  code_verifier_sealed: Buffer | null
  created_at: string
  expires_at: string
}

export const insertState = async (db: Db, row: NewState): Promise<void> => {
  await db.insertInto('oauth_states').values(row).execute()
}

/** Consumes the sign-in of this state, for the person and workspace that started it. */
export const takeState = (
  db: Db,
  { stateHash, teamId, userId, provider }: { stateHash: Buffer; teamId: string; userId: string; provider: string },
  now: string,
) =>
  db
    .deleteFrom('oauth_states')
    .where('state_hash', '=', stateHash)
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .where('expires_at', '>', now)
    .returning([
      'id',
      'credential_id',
      'app_credential_id',
      'provider',
      'scopes',
      'redirect_uri',
      'code_verifier_sealed',
    ])
    .executeTakeFirst()

/** The service and workspace of a person's unfinished sign-in. */
export const findPending = (
  db: Db,
  { stateHash, userId, provider }: { stateHash: Buffer; userId: string; provider: string },
  now: string,
) =>
  db
    .selectFrom('oauth_states as s')
    .innerJoin('credentials as c', 'c.id', 's.credential_id')
    .innerJoin('teams as t', 't.id', 's.team_id')
    .select(['s.team_id as teamId', 'c.display_name as displayName', 't.name as teamName'])
    .where('s.state_hash', '=', stateHash)
    .where('s.user_id', '=', userId)
    .where('s.provider', '=', provider)
    .where('s.expires_at', '>', now)
    .limit(1)
    .executeTakeFirst()

export const deleteExpired = async (db: Db, now: string): Promise<void> => {
  await db.deleteFrom('oauth_states').where('expires_at', '<=', now).execute()
}

export const deleteOfCredential = async (db: Db, credentialId: string): Promise<void> => {
  await db.deleteFrom('oauth_states').where('credential_id', '=', credentialId).execute()
}
