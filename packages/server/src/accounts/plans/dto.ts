// Maps plans and entitlements to their wire form.
import { createHash } from 'node:crypto'
import { shortId, toId } from '@millrace/contract/ids'
import type { Entitlement, Plan, PlanLimit } from '@millrace/contract/plans'
import { grantOfPlan, labelOf, resourceTable } from './rules.ts'
import type * as store from './store.ts'

type TeamPlan = Awaited<ReturnType<typeof store.findPlansOfTeam>>[number]
type StoredRow = Awaited<ReturnType<typeof store.findEntitlements>>[number]

export const limitsOf = (plan: { limits: unknown } | undefined) => (plan?.limits ?? {}) as Record<string, PlanLimit>

/** Rows derived from a plan are not stored; their id is derived from the plan, the workspace and the resource. */
const derivedId = (...parts: string[]): string => toId(createHash('sha256').update(parts.join('/')).digest())

export const entitlementsOfPlan = (teamId: string, plan: TeamPlan, limits: Record<string, PlanLimit>): Entitlement[] =>
  Object.entries(limits).map(([resource, limit]) => {
    const id = derivedId(teamId, plan.team_plan_id ?? plan.id, resource)
    return {
      id,
      short_id: shortId(id),
      created_at: plan.created_at,
      updated_at: plan.updated_at,
      deleted_at: null,
      scope: 'team',
      team_id: teamId,
      ...grantOfPlan(resource, limit, plan.plan_type === 'addon' ? 'addon' : 'tier'),
      ...(plan.expires_at === null ? {} : { expires_at: plan.expires_at }),
      ...(plan.team_plan_id === null ? {} : { team_plan_id: plan.team_plan_id }),
    }
  })

export const entitlementDto = (row: StoredRow): Entitlement => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  scope: 'team',
  team_id: row.team_id,
  resource: row.resource,
  type: row.type as Entitlement['type'],
  enabled: row.enabled,
  unlimited: row.unlimited,
  limit: row.limit,
  source: row.source as Entitlement['source'],
  enforcement: row.enforcement as Entitlement['enforcement'],
  ...(row.expires_at === null ? {} : { expires_at: row.expires_at }),
})

const unitOf = (resource: string): { unit?: string } => {
  const unit = resourceTable[resource]?.unit
  return unit === undefined ? {} : { unit }
}

export const planDto = (plan: Awaited<ReturnType<typeof store.findPlans>>[number]): Plan => ({
  id: plan.id,
  short_id: shortId(plan.id),
  created_at: plan.created_at,
  updated_at: plan.updated_at,
  deleted_at: null,
  name: plan.name,
  description: plan.description,
  display_order: plan.display_order,
  active: plan.active,
  self_serve: plan.self_serve,
  plan_type: plan.plan_type as Plan['plan_type'],
  credits_monthly: plan.credits_monthly,
  stackable: plan.stackable,
  limits: Object.fromEntries(
    Object.entries(limitsOf(plan)).map(([resource, limit]) => [
      resource,
      { label: labelOf(resource), ...unitOf(resource), ...limit },
    ]),
  ),
})
