// SQL of device authorizations, one statement per function.
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

const columns = [
  'id',
  'user_code',
  'token_kind',
  'status',
  'code_challenge',
  'claim_code_hash',
  'claim_attempts',
  'user_id',
  'team_id',
  'scopes',
  'elevated',
  'lifetime_seconds',
  'client_name',
  'ip',
  'requested_scopes',
  'requested_team',
  'offers_presets',
  'last_polled_at',
  'interval_seconds',
  'expires_at',
] as const

export type DeviceRow = NonNullable<Awaited<ReturnType<typeof findByDeviceCode>>>

/** False when the short code is in use. */
export const insertAuthorization = async (db: Db, row: Insertable<Database['device_authorizations']>) => {
  const inserted = await db
    .insertInto('device_authorizations')
    .values(row)
    // Literal values: with parameters, a prepared statement does not match the partial index.
    .onConflict((conflict) =>
      conflict.column('user_code').where(sql<boolean>`status in ('pending', 'approved')`).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export const findByDeviceCode = (db: Db, deviceCodeHash: Buffer) =>
  db
    .selectFrom('device_authorizations')
    .select(columns)
    .where('device_code_hash', '=', deviceCodeHash)
    .limit(1)
    .executeTakeFirst()

/** The newest row, because a short code can be reused after it expires. */
export const findByUserCode = (db: Db, userCode: string) =>
  db
    .selectFrom('device_authorizations')
    .select(columns)
    .where('user_code', '=', userCode)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export const lockByChallenge = (db: Db, codeChallenge: string) =>
  db
    .selectFrom('device_authorizations')
    .select(columns)
    .where('code_challenge', '=', codeChallenge)
    .orderBy('created_at', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()

export const lockAuthorization = (db: Db, id: string) =>
  db
    .selectFrom('device_authorizations')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .limit(1)
    .executeTakeFirstOrThrow()

export const recordPoll = async (db: Db, id: string, now: string, intervalSeconds: number): Promise<void> => {
  await db
    .updateTable('device_authorizations')
    .set({ last_polled_at: now, interval_seconds: intervalSeconds })
    .where('id', '=', id)
    .execute()
}

export type ApprovedValues = {
  user_id: string
  team_id: string
  scopes: string[] | null
  elevated: boolean
  lifetime_seconds: number
  claim_code_hash: Buffer | null
}

/** False when it was already answered or has expired. */
export const approvePending = async (db: Db, id: string, now: string, values: ApprovedValues): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('device_authorizations')
    .set({ ...values, status: 'approved', approved_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const denyPending = async (db: Db, id: string, now: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('device_authorizations')
    .set({ status: 'denied' })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Exactly one of several concurrent callers gets the row and may create the credential. */
export const takeApproved = (db: Db, id: string, now: string) =>
  db
    .updateTable('device_authorizations')
    .set({ status: 'delivered', claim_code_hash: null })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .where('expires_at', '>', now)
    .returning(columns)
    .executeTakeFirst()

export const countWrongClaim = async (db: Db, id: string, attempts: number, spent: boolean): Promise<void> => {
  await db
    .updateTable('device_authorizations')
    .set(spent ? { claim_attempts: attempts, status: 'expired' } : { claim_attempts: attempts })
    .where('id', '=', id)
    .execute()
}

export const expireOverdue = async (db: Db, now: string): Promise<void> => {
  await db
    .updateTable('device_authorizations')
    .set({ status: 'expired', claim_code_hash: null })
    .where('status', 'in', ['pending', 'approved'])
    .where('expires_at', '<=', now)
    .execute()
}

export const deleteExpiredBefore = async (db: Db, cutoff: string): Promise<void> => {
  await db.deleteFrom('device_authorizations').where('expires_at', '<', cutoff).execute()
}

/** Workspaces that a person may sign a device in to. */
export const workspacesOf = (db: Db, userId: string) =>
  db
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select(['t.id', 't.name', 't.username', 't.type', 't.is_platform', 'm.role'])
    .where('m.user_id', '=', userId)
    .where('t.status', '=', 'active')
    .where('t.deleted_at', 'is', null)
    .orderBy('t.type')
    .orderBy('t.name')
    .execute()

/** Undefined once the person is suspended, deleted, or no longer a member. Locks the membership, so removals wait. */
export const findMembershipStatus = (db: Db, userId: string, teamId: string) =>
  db
    .selectFrom('team_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.role', 'u.role as user_role'])
    .where('m.user_id', '=', userId)
    .where('m.team_id', '=', teamId)
    .where('u.banned_at', 'is', null)
    .where('u.deleted_at', 'is', null)
    .forKeyShare('m')
    .limit(1)
    .executeTakeFirst()
