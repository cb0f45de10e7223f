// SQL of the data keys.
import type { Db } from '../db/database.ts'

export type DataKeyRow = { id: string; team_id: string; master_key_id: string; sealed_key: Buffer }

const columns = ['id', 'team_id', 'master_key_id', 'sealed_key'] as const

export const findActive = (db: Db, teamId: string): Promise<DataKeyRow | undefined> =>
  db.selectFrom('data_keys').select(columns).where('team_id', '=', teamId).where('active', '=', true).executeTakeFirst()

export const findById = (db: Db, id: string): Promise<DataKeyRow | undefined> =>
  db.selectFrom('data_keys').select(columns).where('id', '=', id).executeTakeFirst()

export const insertIfAbsent = async (db: Db, row: DataKeyRow): Promise<void> => {
  await db
    .insertInto('data_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('team_id').where('active', '=', true).doNothing())
    .execute()
}
