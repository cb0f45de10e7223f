// SQL of sign-in links and codes, and of second factors.
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

const linkLock = 7700_0003

/** Serializes the requests of one network, so that concurrent requests are counted one after the other. */
export const lockLinksOf = async (db: Db, network: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${linkLock}, hashtext(${network}))`.execute(db)
}

/** The mails requested by a network in this period, oldest first. A link without a code was not mailed. */
export const linksRequestedBy = (db: Db, network: string, { since, until }: { since: string; until: string }) =>
  db
    .selectFrom('magic_links')
    .select(['email', 'created_at'])
    .where('asker', '=', network)
    .where('created_at', '>', since)
    .where('created_at', '<=', until)
    .whereRef('code_expires_at', '>', 'created_at')
    .orderBy('created_at')
    .execute()

/** The newest mails to an address, newest first. Count-only rows are created as used. */
export const lastMailedTo = (db: Db, email: string, { since, most }: { since: string; most: number }) =>
  db
    .selectFrom('magic_links')
    .select('created_at')
    .where('email', '=', email)
    .where('created_at', '>', since)
    .whereRef('code_expires_at', '>', 'created_at')
    .where((where) => where.or([where('used_at', 'is', null), where('used_at', '>', where.ref('created_at'))]))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute()

export const insertLink = async (db: Db, link: Insertable<Database['magic_links']>): Promise<void> => {
  await db.insertInto('magic_links').values(link).execute()
}

/** The address of a valid link, which stays valid. */
export const findLinkEmail = async (db: Db, tokenHash: Buffer, now: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('magic_links')
      .select('email')
      .where('token_hash', '=', tokenHash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .limit(1)
      .executeTakeFirst()
  )?.email

/** Consumes the link of a token; undefined when it is unknown, used or expired. */
export const useLinkByToken = (db: Db, tokenHash: Buffer, now: string) =>
  db
    .updateTable('magic_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['email', 'redirect_to'])
    .executeTakeFirst()

export const useLink = (db: Db, id: string, now: string) =>
  db
    .updateTable('magic_links')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .returning(['email', 'redirect_to'])
    .executeTakeFirst()

/** Counts a try against every pending code of an address, and returns those that had one left. */
export const countCodeTry = (db: Db, email: string, maxTries: number, now: string) =>
  db
    .updateTable('magic_links')
    .set((set) => ({ code_attempts: set('code_attempts', '+', 1) }))
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('code_expires_at', '>', now)
    .where('code_attempts', '<', maxTries)
    .returning(['id', 'code_sealed'])
    .execute()

export const insertChallenge = async (db: Db, challenge: Insertable<Database['otp_challenges']>): Promise<void> => {
  await db.insertInto('otp_challenges').values(challenge).execute()
}

/** Counts a try and returns the challenge; undefined when it is unknown, answered, expired or out of tries. */
export const countChallengeTry = (db: Db, tokenHash: Buffer, maxTries: number, now: string) =>
  db
    .updateTable('otp_challenges')
    .set((set) => ({ attempts: set('attempts', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where('attempts', '<', maxTries)
    .returning(['id', 'user_id', 'auth_method', 'redirect_to'])
    .executeTakeFirst()

/** False when another request answered it first. */
export const useChallenge = async (db: Db, id: string, now: string): Promise<boolean> =>
  (await db
    .updateTable('otp_challenges')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .returning('id')
    .executeTakeFirst()) !== undefined

export const deleteLinksBefore = async (db: Db, before: string): Promise<void> => {
  await db.deleteFrom('magic_links').where('created_at', '<', before).execute()
}

export const deleteChallengesBefore = async (db: Db, before: string): Promise<void> => {
  await db.deleteFrom('otp_challenges').where('expires_at', '<', before).execute()
}

/** Whether the owner of this mailbox has a pending invite. */
export const hasInvite = async (db: Db, mailbox: string, now: string): Promise<boolean> =>
  (await db
    .selectFrom('invites')
    .select('id')
    .where('mailbox', '=', mailbox)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst()) !== undefined
