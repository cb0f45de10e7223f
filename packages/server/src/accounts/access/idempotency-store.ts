// Rows of idempotent calls. Every predicate contains the owner of the key: a credential, or the address of a signed-out
// caller.
import type { Db } from '#platform/db/database.ts'

export const claimKey = async (
  db: Db,
  row: { owner: string; key: string; fingerprint: Buffer; started_at: string },
): Promise<boolean> => {
  const claimed = await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['owner', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}

export const readClaimed = (db: Db, owner: string, key: string) =>
  db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'answer_sealed', 'started_at'])
    .where('owner', '=', owner)
    .where('key', '=', key)
    .limit(1)
    .executeTakeFirstOrThrow()

export const storeAnswer = (
  db: Db,
  owner: string,
  key: string,
  answer: { answer_sealed: Buffer; finished_at: string },
) => db.updateTable('idempotency_keys').set(answer).where('owner', '=', owner).where('key', '=', key).execute()

/** Deletes a claim whose work was refused. */
export const deleteClaim = (db: Db, owner: string, key: string) =>
  db
    .deleteFrom('idempotency_keys')
    .where('owner', '=', owner)
    .where('key', '=', key)
    .where('answer_sealed', 'is', null)
    .execute()

export const deleteOldKey = (db: Db, owner: string, key: string, cutoff: string) =>
  db
    .deleteFrom('idempotency_keys')
    .where('owner', '=', owner)
    .where('key', '=', key)
    .where('started_at', '<', cutoff)
    .execute()

/** Deletes expired answers of all owners. */
export const deleteOldKeys = (db: Db, cutoff: string) =>
  db.deleteFrom('idempotency_keys').where('started_at', '<', cutoff).execute()
