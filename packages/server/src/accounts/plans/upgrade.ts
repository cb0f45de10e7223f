// Suggests a larger plan to a workspace that reached a limit.
import type { Db } from '#platform/db/database.ts'
import { limitsOf } from './dto.ts'
import type { Resolved } from './rules.ts'
import { findPlans } from './store.ts'

/** A plan that a workspace could choose by itself and that would give it more. */
export const findUpgrade = async (db: Db, { resource, limit }: Resolved) => {
  const more = (await findPlans(db)).filter((plan) => {
    const offer = limitsOf(plan)[resource]
    if (!plan.active || !plan.self_serve || !offer || offer.enabled === false) return false
    return offer.unlimited === true || plan.plan_type === 'addon' || (offer.limit ?? 0) > limit
  })
  const addon = more.find((plan) => plan.plan_type === 'addon')
  return {
    upgrade_available: more.length > 0,
    ...(addon ? { addon_plan_id: addon.id, addon_plan_name: addon.name } : {}),
  }
}
