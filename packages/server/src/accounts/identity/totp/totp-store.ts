// SQL of authenticators.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export const setTotpSecret = async (db: Db, userId: string, sealed: Buffer): Promise<boolean> =>
  (await db
    .updateTable('users')
    .set({ totp_secret_sealed: sealed, totp_last_step: 0 })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()) !== undefined

export const findTotp = (db: Db, userId: string) =>
  db
    .selectFrom('users')
    .select(['id', 'role', 'totp_secret_sealed', 'totp_confirmed_at', 'totp_last_step'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

/**
 * Counts a try within a window of one hour; returns the count and the start of the window. A window that starts in the
 * future came from a wrong clock and is replaced.
 */
export const countTotpTry = async (db: Db, userId: string, now: string, windowStart: string) => {
  const isOpen = sql`(totp_tries_since > ${windowStart}::timestamptz and totp_tries_since <= ${now}::timestamptz + interval '1 minute')`
  const { rows } = await sql<{ totp_tries: number; totp_tries_since: string }>`
    update users set
      totp_tries = case when ${isOpen} then totp_tries + 1 else 1 end,
      totp_tries_since = case when ${isOpen} then totp_tries_since else ${now}::timestamptz end
    where id = ${userId} returning totp_tries, totp_tries_since`.execute(db)
  return rows[0]
}

/** Consumes a step; false when this or a later one was already used. */
export const useTotpStep = async (db: Db, userId: string, step: number): Promise<boolean> =>
  (await db
    .updateTable('users')
    .set({ totp_last_step: step, totp_tries: 0 })
    .where('id', '=', userId)
    .where('totp_last_step', '<', step)
    .returning('id')
    .executeTakeFirst()) !== undefined

export const confirmTotp = async (db: Db, userId: string, now: string): Promise<void> => {
  await db.updateTable('users').set({ totp_confirmed_at: now, updated_at: now }).where('id', '=', userId).execute()
}

export const removeTotp = async (db: Db, userId: string, now: string): Promise<void> => {
  await db
    .updateTable('users')
    .set({ totp_secret_sealed: null, totp_confirmed_at: null, recovery_codes: [], updated_at: now })
    .where('id', '=', userId)
    .execute()
}

export const setRecoveryCodes = async (db: Db, userId: string, hashes: readonly Buffer[]): Promise<void> => {
  await db
    .updateTable('users')
    .set({ recovery_codes: [...hashes] })
    .where('id', '=', userId)
    .execute()
}

/** Consumes a code; false when it is unknown or was already used. */
export const useRecoveryCode = async (db: Db, userId: string, hash: Buffer): Promise<boolean> =>
  (await db
    .updateTable('users')
    .set({ recovery_codes: sql`array_remove(recovery_codes, ${hash}::bytea)`, totp_tries: 0 })
    .where('id', '=', userId)
    .where(sql<boolean>`${hash}::bytea = any (recovery_codes)`)
    .returning('id')
    .executeTakeFirst()) !== undefined
