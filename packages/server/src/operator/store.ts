// SQL of the operator's own commands: addresses that are blocked, and a workspace whatever has become of it.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export const getTeamRef = (db: Db, id: string) =>
  db.selectFrom('teams').select(['id', 'username']).where('id', '=', id).limit(1).executeTakeFirstOrThrow()

export const listBlocks = (db: Db) =>
  db.selectFrom('ip_blocks').select(['network', 'reason', 'created_at']).orderBy('network').execute()

/** One address is a network too; what lies below the mask is dropped. */
const networkOf = (text: string) => sql<string>`network(${text}::inet)::cidr`

export const upsertBlock = async (db: Db, network: string, reason: string): Promise<void> => {
  await db
    .insertInto('ip_blocks')
    .values({ id: newId(), network: networkOf(network), reason })
    .onConflict((conflict) => conflict.column('network').doUpdateSet({ reason }))
    .execute()
}

/** False when it was not blocked. */
export const deleteBlock = async (db: Db, network: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('ip_blocks')
    .where('network', '=', networkOf(network))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Every table of the schema with its indices and long values, largest first; rows as the planner counts them. */
export const listTableSizes = async (db: Db): Promise<{ name: string; bytes: number; rows: number }[]> => {
  const { rows } = await sql<{ name: string; bytes: number; rows: number }>`
    select c.relname as name, pg_total_relation_size(c.oid) as bytes, greatest(0, c.reltuples)::bigint as rows
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    order by bytes desc, name`.execute(db)
  return rows
}
