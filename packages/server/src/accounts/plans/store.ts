// SQL of plans and entitlements.
import type { PlanLimit } from '@millrace/contract/plans'
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

/** The default plan and every plan of the workspace; the default plan has no `team_plan_id`. */
export const findPlansOfTeam = (db: Db, teamId: string, now: string) =>
  db
    .selectFrom('plans')
    .leftJoin('team_plans', (join) =>
      join
        .onRef('team_plans.plan_id', '=', 'plans.id')
        .on('team_plans.team_id', '=', teamId)
        .on((on) => on.or([on('team_plans.expires_at', 'is', null), on('team_plans.expires_at', '>', now)])),
    )
    .select([
      'plans.id',
      'plans.plan_type',
      'plans.is_default',
      'plans.limits',
      'plans.created_at',
      'plans.updated_at',
      'team_plans.id as team_plan_id',
      'team_plans.expires_at',
    ])
    .where((where) => where.or([where('plans.is_default', '=', true), where('team_plans.id', 'is not', null)]))
    .orderBy('team_plans.created_at', 'desc')
    .execute()

export const findEntitlements = (db: Db, teamId: string, now: string) =>
  db
    .selectFrom('entitlements')
    .selectAll()
    .where('team_id', '=', teamId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .orderBy('resource')
    .orderBy('source')
    .execute()

export const upsertEntitlement = (db: Db, row: Insertable<Database['entitlements']>, now: string) =>
  db
    .insertInto('entitlements')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'resource', 'source']).doUpdateSet((set) => ({
        type: set.ref('excluded.type'),
        enabled: set.ref('excluded.enabled'),
        unlimited: set.ref('excluded.unlimited'),
        limit: set.ref('excluded.limit'),
        enforcement: set.ref('excluded.enforcement'),
        expires_at: set.ref('excluded.expires_at'),
        updated_at: now,
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

/** Undefined when there was none. */
export const deleteOverride = (db: Db, teamId: string, resource: string) =>
  db
    .deleteFrom('entitlements')
    .where('team_id', '=', teamId)
    .where('resource', '=', resource)
    .where('source', '=', 'override')
    .returning('id')
    .executeTakeFirst()

export const findPlans = (db: Db) =>
  db.selectFrom('plans').selectAll().orderBy('display_order').orderBy('name').execute()

export const findPlanByName = (db: Db, name: string) =>
  db.selectFrom('plans').selectAll().where('name', '=', name).limit(1).executeTakeFirst()

/** Locks the plan against assignment and removal until the transaction ends. */
export const lockPlanByName = (db: Db, name: string) =>
  db.selectFrom('plans').selectAll().where('name', '=', name).limit(1).forUpdate().executeTakeFirst()

export const countTeamsOfPlan = async (db: Db, planId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('team_plans')
    .select(({ fn }) => fn.count<number>('team_id').distinct().as('count'))
    .where('plan_id', '=', planId)
    .limit(1)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const deletePlan = async (db: Db, planId: string): Promise<void> => {
  await db.deleteFrom('plans').where('id', '=', planId).execute()
}

export const upsertPlan = (
  db: Db,
  plan: Omit<Insertable<Database['plans']>, 'limits'>,
  limits: Readonly<Record<string, PlanLimit>>,
  now: string,
) =>
  db
    .insertInto('plans')
    .values({ ...plan, limits: JSON.stringify(limits) })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((set) => ({
        description: set.ref('excluded.description'),
        plan_type: set.ref('excluded.plan_type'),
        limits: set.ref('excluded.limits'),
        updated_at: now,
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

/** A workspace has one base plan: the previous one ends when it gets another. */
export const deleteBasePlansOfTeam = async (db: Db, teamId: string): Promise<void> => {
  await db
    .deleteFrom('team_plans')
    .where('team_id', '=', teamId)
    .where('plan_id', 'in', db.selectFrom('plans').select('id').where('plan_type', '=', 'base'))
    .execute()
}

/** False when the workspace did not have it. */
export const deletePlanOfTeam = async (db: Db, teamId: string, planId: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('team_plans')
    .where('team_id', '=', teamId)
    .where('plan_id', '=', planId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const insertTeamPlan = async (db: Db, row: Insertable<Database['team_plans']>): Promise<void> => {
  await db.insertInto('team_plans').values(row).execute()
}

/** Counting and adding are serialized per workspace and resource, so that a limit is exact. */
export const lockUsage = async (db: Db, teamId: string, resource: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtext('entitlement'), hashtext(${`${teamId}/${resource}`}))`.execute(db)
}

export const findTeamIds = (db: Db): Promise<{ id: string }[]> => db.selectFrom('teams').select('id').execute()
