// SQL of single sign-ons in progress, found by the hash of their state, and of the identities of accounts.
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

/** A person at an issuer. */
export type OidcIdentity = { readonly issuer: string; readonly subject: string }

export const findUserByIdentity = (db: Db, { issuer, subject }: OidcIdentity) =>
  db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('oidc_issuer', '=', issuer)
    .where('oidc_subject', '=', subject)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const linkIdentity = async (db: Db, email: string, { issuer, subject }: OidcIdentity): Promise<void> => {
  await db
    .updateTable('users')
    .set({ oidc_issuer: issuer, oidc_subject: subject })
    .where('email', '=', email)
    .where('deleted_at', 'is', null)
    .execute()
}
