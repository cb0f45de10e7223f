// SQL of usage policies.
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

/** The effective policy of a workspace. */
export const findPolicyOf = (db: Db, teamId: string) =>
  db
    .selectFrom('teams')
    .innerJoin('usage_policies', 'usage_policies.id', 'teams.usage_policy_id')
    .selectAll('usage_policies')
    .where('teams.id', '=', teamId)
    .limit(1)
    .executeTakeFirst()

export type PolicyRow = NonNullable<Awaited<ReturnType<typeof findPolicyOf>>>

export const findPolicySetFor = (db: Db, teamId: string) =>
  db.selectFrom('usage_policies').select('id').where('team_id', '=', teamId).limit(1).executeTakeFirst()

export const lockTeam = (db: Db, teamId: string) =>
  db
    .selectFrom('teams')
    .select(['id', 'type', 'org_id'])
    .where('id', '=', teamId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .limit(1)
    .executeTakeFirst()

/** One policy per workspace; setting it again keeps its id. */
export const upsertPolicy = (db: Db, row: Insertable<Database['usage_policies']>) =>
  db
    .insertInto('usage_policies')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('team_id').doUpdateSet((set) => ({
        apps: set.ref('excluded.apps'),
        agents: set.ref('excluded.agents'),
        mcps: set.ref('excluded.mcps'),
        knowledge: set.ref('excluded.knowledge'),
        flows: set.ref('excluded.flows'),
        updated_at: set.ref('excluded.updated_at'),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

/** The workspaces of a policy: the workspace itself and, for an organization's own workspace, all attached ones. */
export const assignPolicy = (db: Db, teamId: string, policyId: string): Promise<{ id: string }[]> =>
  db
    .updateTable('teams')
    .set({ usage_policy_id: policyId })
    .where((where) =>
      where.or([
        where('id', '=', teamId),
        where('org_id', '=', sql<string>`(select org_id from teams where id = ${teamId} and type = 'org')`),
      ]),
    )
    .returning('id')
    .execute()

export const listTeamsUnder = (db: Db, policyId: string): Promise<{ id: string }[]> =>
  db.selectFrom('teams').select('id').where('usage_policy_id', '=', policyId).execute()

export const deletePolicy = (db: Db, id: string) => db.deleteFrom('usage_policies').where('id', '=', id).execute()
