// SQL of the installation for its staff: every workspace, and blocked addresses.
import { newId } from '@millrace/contract/ids'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'

export type WorkspaceRow = Awaited<ReturnType<ReturnType<typeof workspacesQuery>['execute']>>[number]

export const workspacesQuery = (db: Db, now: string) =>
  db
    .selectFrom('teams')
    .leftJoin('billing_accounts', 'billing_accounts.team_id', 'teams.id')
    .select(['teams.id', 'teams.created_at', 'teams.type', 'teams.name', 'teams.username', 'teams.status'])
    .select([
      'billing_accounts.status as billing_status',
      sql<number>`(select count(*)::int from team_members m where m.team_id = teams.id)`.as('members'),
      sql<string[]>`array(
        select p.name from team_plans t join plans p on p.id = t.plan_id
        where t.team_id = teams.id and (t.expires_at is null or t.expires_at > ${now}::timestamptz)
        order by p.plan_type desc, p.name)`.as('plans'),
    ])
    .where('teams.deleted_at', 'is', null)

export const findWorkspace = (db: Db, ref: string, now: string) =>
  workspacesQuery(db, now).where(idMatches('teams.id', ref)).limit(1).executeTakeFirst()

export type BlockRow = Awaited<ReturnType<ReturnType<typeof blocksQuery>['execute']>>[number]

export const blocksQuery = (db: Db) =>
  db.selectFrom('ip_blocks').select(['ip_blocks.id', 'ip_blocks.network', 'ip_blocks.reason', 'ip_blocks.created_at'])

export const listBlocks = (db: Db) => blocksQuery(db).orderBy('network').execute()

/** A single address is a network too; host bits are cleared. */
const networkOf = (text: string): RawBuilder<string> => sql<string>`network(${text}::inet)::cidr`

export const upsertBlock = (db: Db, network: string, reason: string) =>
  db
    .insertInto('ip_blocks')
    .values({ id: newId(), network: networkOf(network), reason })
    .onConflict((conflict) => conflict.column('network').doUpdateSet({ reason }))
    .returning(['id', 'network', 'reason', 'created_at'])
    .executeTakeFirstOrThrow()

/** Undefined if it was not blocked. */
export const deleteBlockOfNetwork = (db: Db, network: string) =>
  db.deleteFrom('ip_blocks').where('network', '=', networkOf(network)).returning(['id', 'network']).executeTakeFirst()

export const deleteBlock = (db: Db, ref: string) =>
  db.deleteFrom('ip_blocks').where(idMatches('ip_blocks.id', ref)).returning(['id', 'network']).executeTakeFirst()
