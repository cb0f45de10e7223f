// Makes large tables: many copies of a row that was created through the API.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

/** Inserts many copies with one statement: each with its own id and the given values. */
export const copyRow = async (
  db: Db,
  { table, id, count }: { table: keyof Database; id: string; count: number },
  values: object,
): Promise<void> => {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'`.execute(db)
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)))
  await sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, (
      select jsonb_agg(to_jsonb(t) || ${JSON.stringify(values)}::jsonb || jsonb_build_object('id', t.id || '-' || n))
      from ${sql.table(table)} t, generate_series(1, ${count}::int) n where t.id = ${id}))`.execute(db)
}
