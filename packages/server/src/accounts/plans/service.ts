// Plans and limits of a workspace: what it may use, what it uses, and the refusal beyond that.

import { newId } from '@millrace/contract/ids'
import type { WorkspaceLimit } from '@millrace/contract/installation'
import type { Entitlement, EntitlementUsage, Plan, SetPlan } from '@millrace/contract/plans'
import { type Actor, isMember, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { entitlementDto, planDto } from './dto.ts'
import { publishLimits } from './limits-cache.ts'
import { refuse } from './refusal.ts'
import { readRows } from './rows.ts'
import {
  exceeds,
  isDisabled,
  isResource,
  isUnbounded,
  labelOf,
  type Resolved,
  resolve,
  resourceTable,
  typeOfResource,
} from './rules.ts'
import * as store from './store.ts'
import { rowMegabytes } from './stored-rows.ts'

export { countExecution, type Meter, meterOf, reportExecutions } from './executions.ts'
export { cachedEntitlement, forgetLimits, limitsChannel } from './limits-cache.ts'
export { isUnbounded } from './rules.ts'
export { addRowBytes, requireRowRoom, rowMegabytes } from './stored-rows.ts'

export const listEntitlements = (ctx: Ctx): Promise<Entitlement[]> => readRows(ctx, ctx.actor.teamId)

export const entitlementUsage = (ctx: Ctx): Promise<EntitlementUsage[]> => usageOf(ctx, ctx.actor.teamId)

/** The limits of any workspace, with whether staff set them, for staff. */
export const limitsOfWorkspace = async (ctx: Ctx, teamId: string): Promise<WorkspaceLimit[]> => {
  const rows = await readRows(ctx, teamId)
  const set = new Set(rows.filter(({ source }) => source === 'override').map(({ resource }) => resource))
  return (await usageOf(ctx, teamId)).map((used) => ({ ...used, overridden: set.has(used.resource) }))
}

const usageOf = async (ctx: Ctx, teamId: string): Promise<EntitlementUsage[]> => {
  const rows = await readRows(ctx, teamId)
  const used: EntitlementUsage[] = []
  for (const resource of new Set([...Object.keys(resourceTable), ...rows.map((row) => row.resource)])) {
    const { type, enabled, unlimited, limit, enforcement } = resolve(resource, rows)
    const current = await countUsage(ctx, teamId, resource)
    used.push({ resource, label: labelOf(resource), type, enabled, unlimited, limit, current, enforcement })
  }
  return used
}

/** An uncounted resource has no usage. Rows take storage in addition to what the features count. */
const countUsage = async (ctx: Ctx<Actor>, teamId: string, resource: string): Promise<number> => {
  const counted = (await ctx.usage[resource]?.(ctx.db, teamId, ctx.now())) ?? 0
  return resource === 'storage_mb' ? counted + (await rowMegabytes(ctx, teamId)) : counted
}

const teamOf = (actor: Actor, teamId: string | undefined): string => {
  if (teamId !== undefined) return teamId
  if (!isMember(actor)) throw fail('unauthorized', 'Only a workspace has limits')
  return actor.teamId
}

export const entitlementOf = async (ctx: Ctx<Actor>, resource: string, teamId?: string): Promise<Resolved> =>
  resolve(resource, await readRows(ctx, teamOf(ctx.actor, teamId)))

const dayMs = 24 * 3600_000
const sweepBatch = 1_000

/** Deletes at most `limit` rows of a workspace older than `before`; returns their number. */
type DeleteRows = (teamId: string, before: string, limit: number) => Promise<number>

/** In batches, so that no statement locks many rows for long. */
const sweepTeams = async (
  platform: Platform,
  daysOf: (ctx: Ctx<Actor>, teamId: string) => Promise<number>,
  deleteRows: DeleteRows,
): Promise<number> => {
  const ctx = createCtx(platform, system)
  let all = 0
  for (const { id } of await store.findTeamIds(ctx.db)) {
    const days = await daysOf(ctx, id)
    if (days === Number.POSITIVE_INFINITY) continue
    const before = new Date(ctx.now().getTime() - days * dayMs).toISOString()
    for (let done = sweepBatch; done === sweepBatch; all += done) done = await deleteRows(id, before, sweepBatch)
  }
  return all
}

/** Deletes history older than the retention of each workspace. */
export const sweepByRetention = (platform: Platform, deleteRows: DeleteRows): Promise<number> =>
  sweepTeams(
    platform,
    async (ctx, teamId) => {
      const { unlimited, limit } = await entitlementOf(ctx, 'retention_days', teamId)
      return unlimited ? Number.POSITIVE_INFINITY : limit
    },
    deleteRows,
  )

/** Deletes runs that ended before the operator's retention; none when they are retained forever. */
export const sweepOldRuns = async (platform: Platform, deleteRows: DeleteRows): Promise<number> => {
  const { KEEP_RUNS_DAYS: days } = platform.settings
  return days === 0 ? 0 : sweepTeams(platform, async () => days, deleteRows)
}

/** Deleted objects are retained for investigation before they are purged. */
const deletedDays = 30

export const sweepDeleted = (platform: Platform, deleteRows: DeleteRows): Promise<number> =>
  sweepTeams(platform, async () => deletedDays, deleteRows)

export type LimitQuestion = {
  /** The number about to be added; defaults to 1. */
  adding?: number
  /** The current number; defaults to the counter of the feature that owns the resource. */
  current?: () => Promise<number>
  /** The workspace that pays; defaults to the actor's. */
  teamId?: string
}

/**
 * Succeeds while the workspace may add to a resource, or has a feature. Call it inside the transaction that adds: until
 * it ends, others who add to the same resource wait.
 */
export const requireWithinLimit = async (
  ctx: Ctx<Actor>,
  resource: string,
  { adding = 1, current, teamId: requestedTeam }: LimitQuestion = {},
): Promise<void> => {
  const teamId = teamOf(ctx.actor, requestedTeam)
  const resolved = resolve(resource, await readRows(ctx, teamId))
  if (isUnbounded(resolved)) return
  await store.lockUsage(ctx.db, teamId, resource)
  const count = current ?? (() => countUsage(ctx, teamId, resource))
  const used = resolved.type === 'boolean' ? 0 : await count()
  if (!isDisabled(resolved) && !exceeds(resolved, used, adding)) return
  await refuse(ctx, resolved, used)
}

export const listPlans = async (ctx: Ctx<Actor>): Promise<Plan[]> => (await store.findPlans(ctx.db)).map(planDto)

export type EntitlementOptions = {
  source?: Exclude<Entitlement['source'], 'tier'>
  enforcement?: 'block' | 'warn'
  expiresAt?: Date | null
}

const assertResource = (resource: string): void => {
  if (!isResource(resource))
    throw fail(
      'validation_error',
      `\`resource\`: ${resource} must be one of ${Object.keys(resourceTable).join(', ')} or feature:<name>`,
    )
}

/** Sets the operator's override of one resource of one workspace; null means unlimited. 0 removes a `feature:…`. */
export const setEntitlement = (
  ctx: Ctx<Actor>,
  teamId: string,
  resource: string,
  limit: number | null,
  { source = 'override', enforcement = 'block', expiresAt = null }: EntitlementOptions = {},
): Promise<Entitlement> =>
  ctx.tx(async (ctx) => {
    assertResource(resource)
    if (limit !== null && (!Number.isSafeInteger(limit) || limit < 0))
      throw fail('validation_error', '`limit` must be a non-negative integer or unlimited')
    const now = ctx.now().toISOString()
    const row = await store.upsertEntitlement(
      ctx.db,
      {
        id: newId(),
        team_id: teamId,
        resource,
        type: typeOfResource(resource),
        enabled: limit !== 0,
        unlimited: limit === null,
        limit: limit ?? 0,
        source,
        enforcement,
        expires_at: expiresAt?.toISOString() ?? null,
        created_at: now,
        updated_at: now,
      },
      now,
    )
    await publishLimits(ctx, teamId)
    const meta = { resource, limit, source, enforcement }
    await recordAudit(ctx, 'entitlement.set', { resourceType: 'entitlement', resourceId: row.id, teamId, meta })
    return entitlementDto(row)
  })

/** Removes the operator's override, so that the plan applies again. */
export const clearEntitlement = (ctx: Ctx, teamId: string, resource: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await store.deleteOverride(ctx.db, teamId, resource)
    if (!row) throw fail('not_found', `The workspace has no override for ${resource}`)
    await publishLimits(ctx, teamId)
    await recordAudit(ctx, 'entitlement.cleared', {
      resourceType: 'entitlement',
      resourceId: row.id,
      teamId,
      meta: { resource },
    })
  })

/** Creates or changes a tier or an add-on. */
export const definePlan = (ctx: Ctx<Actor>, name: string, { description, plan_type, limits }: SetPlan): Promise<Plan> =>
  ctx.tx(async (ctx) => {
    for (const [resource, { type }] of Object.entries(limits)) {
      assertResource(resource)
      if (type !== typeOfResource(resource))
        throw fail('validation_error', `\`limits.${resource}.type\` must be ${typeOfResource(resource)}`)
    }
    const known = await store.findPlanByName(ctx.db, name)
    // A workspace has one tier and any number of add-ons, so a plan's type cannot change.
    if (known && known.plan_type !== plan_type)
      throw fail('conflict', `${name} is a plan of the type ${known.plan_type}`)
    const plan = { id: newId(), name, description: description ?? known?.description ?? '', plan_type }
    const row = await store.upsertPlan(ctx.db, plan, limits, ctx.now().toISOString())
    await publishLimits(ctx)
    await recordAudit(ctx, 'plan.set', { resourceType: 'plan', resourceId: row.id, meta: { name } })
    return planDto(row)
  })

/** Moves a workspace to a tier, or adds an add-on: once, unless it can be had several times. */
export const assignPlan = (ctx: Ctx<Actor>, teamId: string, planName: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const plan = await getPlan(ctx, planName)
    if (plan.plan_type === 'base') await store.deleteBasePlansOfTeam(ctx.db, teamId)
    else if (!plan.stackable) await store.deletePlanOfTeam(ctx.db, teamId, plan.id)
    if (!plan.is_default)
      await store.insertTeamPlan(ctx.db, {
        id: newId(),
        team_id: teamId,
        plan_id: plan.id,
        created_at: ctx.now().toISOString(),
      })
    await publishLimits(ctx, teamId)
    await recordAudit(ctx, 'plan.assigned', { resourceType: 'plan', resourceId: plan.id, teamId, meta: { planName } })
  })

/** Removes a tier or an add-on from a workspace; without a tier the default one applies. */
export const endPlan = (ctx: Ctx, teamId: string, planName: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const plan = await getPlan(ctx, planName)
    if (!(await store.deletePlanOfTeam(ctx.db, teamId, plan.id)))
      throw fail('not_found', `The workspace does not have the plan ${planName}`)
    await publishLimits(ctx, teamId)
    await recordAudit(ctx, 'plan.ended', { resourceType: 'plan', resourceId: plan.id, teamId, meta: { planName } })
  })

/** Deletes a plan that no workspace has. */
export const deletePlan = (ctx: Ctx<Actor>, name: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const plan = await getPlan(ctx, name)
    if (plan.is_default) throw fail('conflict', `${name} is the default plan and cannot be deleted`)
    const teams = await store.countTeamsOfPlan(ctx.db, plan.id)
    if (teams > 0)
      throw fail('conflict', `The plan ${name} is used by workspaces (${teams}); remove it from them first`)
    await store.deletePlan(ctx.db, plan.id)
    await recordAudit(ctx, 'plan.deleted', { resourceType: 'plan', resourceId: plan.id, meta: { name } })
  })

/** Locked, so that a plan is not deleted while a workspace gets it. */
const getPlan = async (ctx: Ctx<Actor>, name: string) => {
  const plan = await store.lockPlanByName(ctx.db, name)
  if (!plan) throw fail('not_found', `Plan not found: ${name}`)
  return plan
}
