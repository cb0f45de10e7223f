// Reads from the database which columns contain sealed values, and which key each value uses.
import type { TestDatabase } from './database.ts'

export type SealedCount = { place: string; values: number; underOldKeys: number }

/** Per sealed column: the number of values, and of those under a key that is no longer in use. */
export const countSealed = async (database: TestDatabase): Promise<SealedCount[]> => {
  const { rows: columns } = await database.query(
    `select table_name, column_name from information_schema.columns
     where table_schema = 'public' and column_name like '%\\_sealed' order by 1, 2`,
  )
  const counts: SealedCount[] = []
  for (const { table_name, column_name } of columns as { table_name: string; column_name: string }[]) {
    const { rows } = await database.query(
      `select count(*)::int as values, (count(*) filter (where not exists (select 1 from data_keys k
         where k.active and k.id = convert_from(substr(${column_name}, 2, 26), 'LATIN1'))))::int as old
       from ${table_name} where ${column_name} is not null`,
    )
    counts.push({ place: `${table_name}.${column_name}`, values: rows[0].values, underOldKeys: rows[0].old })
  }
  return counts
}

/** The master keys that seal the data keys in the database. */
export const masterKeysInUse = async (database: TestDatabase): Promise<string[]> => {
  const { rows } = await database.query('select distinct master_key_id from data_keys')
  return rows.map(({ master_key_id }) => master_key_id as string)
}
