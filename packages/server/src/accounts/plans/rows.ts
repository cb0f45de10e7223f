// Entitlement rows of a workspace: the operator's overrides, its tier and its add-ons.
import type { Entitlement } from '@millrace/contract/plans'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { Failure, fail } from '#platform/core/errors.ts'
import type { Db } from '#platform/db/database.ts'
import { entitlementDto, entitlementsOfPlan, limitsOf } from './dto.ts'
import * as store from './store.ts'

const rowsOf = async (db: Db, teamId: string, now: Date): Promise<Entitlement[]> => {
  const plans = await store.findPlansOfTeam(db, teamId, now.toISOString())
  const stored = await store.findEntitlements(db, teamId, now.toISOString())
  const fallback = plans.find((plan) => plan.is_default)
  const base = plans.find((plan) => plan.plan_type === 'base' && plan.team_plan_id !== null) ?? fallback
  const addons = plans.filter((plan) => plan.plan_type === 'addon' && plan.team_plan_id !== null)
  const tier = base ? entitlementsOfPlan(teamId, base, { ...limitsOf(fallback), ...limitsOf(base) }) : []
  return [
    ...stored.map(entitlementDto),
    ...tier.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
    ...addons.flatMap((addon) => entitlementsOfPlan(teamId, addon, limitsOf(addon))),
  ]
}

/** Both operations read the same rows; an unreadable database is reported differently from a missing entitlement. */
export const readRows = (ctx: Ctx<Actor>, teamId: string): Promise<Entitlement[]> =>
  rowsOf(ctx.db, teamId, ctx.now()).catch((cause: unknown) => {
    throw cause instanceof Failure
      ? cause
      : fail('entitlement_unavailable', { detail: 'The limits of the plan could not be read; try again', cause })
  })
