// SQL of the bytes in the rows of a workspace.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { storedTables } from './stored-tables.ts'

type Table = keyof typeof storedTables
type Entry = { readonly columns: readonly string[]; readonly of?: readonly [Table, string]; readonly retained?: true }

/** Short columns, the row header and index entries. */
const bytesPerRow = 200

/** The two halves match the two partial indexes of tables that retain deleted rows. */
const ownedBy = (table: Table, teamId: string): RawBuilder<boolean> => {
  const { of, retained }: Entry = storedTables[table]
  const ref = (name: string) => sql.ref(`${table}.${name}`)
  if (of) {
    const [parent, reference] = of
    return sql`${ref(reference)} in (select ${sql.ref(`${parent}.id`)} from ${sql.table(parent)} where ${ownedBy(parent, teamId)})`
  }
  const isOwn = sql<boolean>`${ref('team_id')} = ${teamId}`
  if (!retained) return isOwn
  return sql`(${isOwn} and ${ref('deleted_at')} is null or ${isOwn} and ${ref('deleted_at')} is not null)`
}

/** The size as stored, so that a long value is not read. */
const bytesIn = (table: Table, teamId: string): RawBuilder<number> => {
  const { columns }: Entry = storedTables[table]
  const sizes = columns.map((name) => sql`coalesce(pg_column_size(${sql.ref(`${table}.${name}`)}), 0)`)
  return sql`select coalesce(sum(${sql.join(sizes, sql` + `)} + ${sql.lit(bytesPerRow)}), 0) as bytes
    from ${sql.table(table)} where ${ownedBy(table, teamId)}`
}

export const sumRowBytes = async (db: Db, teamId: string): Promise<number> => {
  const tables = Object.keys(storedTables) as Table[]
  const parts = tables.map((table) => bytesIn(table, teamId))
  const { rows } = await sql<{ bytes: number }>`
    select sum(bytes)::float8 as bytes from (${sql.join(parts, sql` union all `)}) as parts`.execute(db)
  return rows[0]?.bytes ?? 0
}
