// SQL of data keys, of the check value of the master key, and of encrypted columns.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from './sealed-columns.ts'

export type DataKeyRow = { id: string; team_id: string; master_key_id: string; sealed_key: Buffer }

const columns = ['id', 'team_id', 'master_key_id', 'sealed_key'] as const

export const findActive = (db: Db, teamId: string): Promise<DataKeyRow | undefined> =>
  db
    .selectFrom('data_keys')
    .select(columns)
    .where('team_id', '=', teamId)
    .where('active', '=', true)
    .limit(1)
    .executeTakeFirst()

export const findById = (db: Db, id: string): Promise<DataKeyRow | undefined> =>
  db.selectFrom('data_keys').select(columns).where('id', '=', id).limit(1).executeTakeFirst()

/**
 * Inserts nothing if the workspace has an active key, or if `check` is not current, because the master key is being
 * rotated. The share lock makes a rotation wait for inserts in progress.
 */
export const insertIfAbsent = async (db: Db, row: DataKeyRow, check: string): Promise<void> => {
  await sql`
    insert into data_keys (id, team_id, master_key_id, sealed_key)
    select ${row.id}, ${row.team_id}, ${row.master_key_id}, ${row.sealed_key}
    from server_state where name = ${checkName} and value ->> 'sealed' = ${check} for share
    on conflict (team_id) where active do nothing`.execute(db)
}

export const retireActive = async (db: Db, teamId: string, now: string): Promise<void> => {
  await db
    .updateTable('data_keys')
    .set({ active: false, retired_at: now })
    .where('team_id', '=', teamId)
    .where('active', '=', true)
    .execute()
}

/** Data keys that are encrypted with another master key. */
export const findUnderOthers = (db: Db, masterKeyId: string, limit: number): Promise<DataKeyRow[]> =>
  db.selectFrom('data_keys').select(columns).where('master_key_id', '<>', masterKeyId).limit(limit).execute()

export const replaceSealedKey = async (db: Db, before: DataKeyRow, after: DataKeyRow): Promise<void> => {
  await db
    .updateTable('data_keys')
    .set({ master_key_id: after.master_key_id, sealed_key: after.sealed_key })
    .where('id', '=', before.id)
    .where('master_key_id', '=', before.master_key_id)
    .execute()
}

export const checkName = 'master_key_check'

export const findCheck = async (db: Db): Promise<string | undefined> => {
  const row = await db
    .selectFrom('server_state')
    .select('value')
    .where('name', '=', checkName)
    .limit(1)
    .executeTakeFirst()
  return (row?.value as { sealed: string } | undefined)?.sealed
}

export const insertCheck = async (db: Db, sealed: string): Promise<void> => {
  await db
    .insertInto('server_state')
    .values({ name: checkName, value: JSON.stringify({ sealed }) })
    .execute()
}

export const updateCheck = async (db: Db, sealed: string, now: string): Promise<void> => {
  await db
    .updateTable('server_state')
    .set({ value: JSON.stringify({ sealed }), updated_at: now })
    .where('name', '=', checkName)
    .execute()
}

/** `id`: the values of the columns that identify the row. */
export type SealedRow = { id: string[]; sealed: Buffer }

const idColumnsOf = ({ idColumns = ['id'] }: SealedColumn) => idColumns.map((name) => sql.ref(name))

/** Rows of a workspace whose value is encrypted with another data key: bytes 2 to 27 contain the key id. */
export const findSealedByOthers = async (
  db: Db,
  place: SealedColumn,
  teamId: string,
  dataKeyId: string,
  limit: number,
): Promise<SealedRow[]> => {
  const { table, column, teamColumn } = place
  const ofTeam = teamColumn === null ? sql`true` : sql`${sql.ref(teamColumn)} = ${teamId}`
  const { rows } = await sql<SealedRow>`
    select array[${sql.join(idColumnsOf(place))}] as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${ofTeam} and ${sql.ref(column)} is not null and substr(${sql.ref(column)}, 2, 26) <> ${Buffer.from(dataKeyId, 'latin1')}
    limit ${limit}`.execute(db)
  return rows
}

/** False if the value was changed concurrently. */
export const replaceSealed = async (db: Db, place: SealedColumn, row: SealedRow, sealed: Buffer): Promise<boolean> => {
  const { table, column } = place
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
    where (${sql.join(idColumnsOf(place))}) = (${sql.join(row.id)}) and ${sql.ref(column)} = ${row.sealed}`.execute(db)
  return numAffectedRows === 1n
}

const rotationLock = 7700_0004

/** A session lock; false if another connection has it. */
export const tryLockRotation = async (connection: Db): Promise<boolean> => {
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_lock(${rotationLock}) as got`.execute(connection)
  return rows[0]?.got === true
}

export const unlockRotation = async (connection: Db): Promise<void> => {
  await sql`select pg_advisory_unlock(${rotationLock})`.execute(connection)
}
