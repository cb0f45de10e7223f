// SQL of the audit log: the chain over all workspaces, and the entries of one workspace.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { ChainRow } from './audit-chain.ts'

/** The next rows in order of insertion; starts at the first when `after` is null. */
export const findChainAfter = async (db: Db, after: number | null, limit: number): Promise<ChainRow[]> => {
  const { rows } = await sql<ChainRow>`
    select seq, id, extract(epoch from created_at)::text as created_epoch, team_id, actor_user_id, actor_kind, actor_id,
      action, resource_type, resource_id, meta::text as meta_text, ip, user_agent, previous_hash, hash
    from audit_log where ${after}::bigint is null or seq > ${after}::bigint
    order by seq limit ${limit}`.execute(db)
  return rows
}

export const countRowsOf = async (db: Db, teamId: string): Promise<number> => {
  const { rows } = await db
    .selectFrom('audit_log')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow()
  return Number(rows)
}

export const isRowOf = async (db: Db, teamId: string, id: string): Promise<boolean> => {
  const row = await db
    .selectFrom('audit_log')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The entries for workspace admins. */
export const selectEntries = (db: Db, teamId: string) =>
  db
    .selectFrom('audit_log')
    .select([
      'id',
      'created_at',
      'team_id',
      'actor_user_id',
      'actor_kind',
      'actor_id',
      'action',
      'resource_type',
      'resource_id',
      'meta',
      'ip',
      'user_agent',
      'hash',
      'previous_hash',
    ])
    .where('team_id', '=', teamId)
