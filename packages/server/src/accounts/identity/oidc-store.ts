// SQL of single sign-ons in progress, found by the hash of their state.
import type { Db } from '#platform/db/database.ts'

export type OidcAttempt = {
  state: string
  nonce: string
  code_verifier: string
  redirect_to: string | null
  created_at: string
  expires_at: string
}

export const insertAttempt = async (db: Db, attempt: OidcAttempt): Promise<void> => {
  await db.insertInto('oidc_attempts').values(attempt).execute()
}

/** Removes the attempt, so that it is answered once. */
export const takeAttempt = (db: Db, state: string, now: string) =>
  db
    .deleteFrom('oidc_attempts')
    .where('state', '=', state)
    .where('expires_at', '>', now)
    .returning(['nonce', 'code_verifier', 'redirect_to'])
    .executeTakeFirst()

export const deleteAttemptsBefore = async (db: Db, before: string): Promise<void> => {
  await db.deleteFrom('oidc_attempts').where('expires_at', '<', before).execute()
}
