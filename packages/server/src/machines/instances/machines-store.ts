// SQL to read rented machines; rentals write them.
import { type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type InstanceRow = Selectable<Database['instances']>

export const listByEngines = (db: Db, engineIds: readonly string[]): Promise<InstanceRow[]> =>
  db.selectFrom('instances').selectAll().where('engine_id', '=', sql<string>`any(${engineIds}::text[])`).execute()

export const hasMachines = async (db: Db, cloud: string): Promise<boolean> => {
  const row = await db
    .selectFrom('instances')
    .select('id')
    .where('cloud', '=', cloud)
    .where('status', '<>', 'deleted')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
