// What a workspace may use, worked out from its plan and the rows the operator gave it. Pure: rows and counts come in.
import type { Entitlement, EntitlementSource, PlanLimit } from '@millrace/contract/plans'

/** The resources the platform counts or gates by itself; any further `feature:…` is a switch. */
export const resourceTable: Readonly<Record<string, { label: string; type: 'limit' | 'boolean'; unit?: string }>> = {
  api_keys: { label: 'API keys', type: 'limit' },
  connectors: { label: 'Connectors', type: 'limit' },
  knowledge_bases: { label: 'Knowledge entries', type: 'limit' },
  storage_mb: { label: 'Storage', type: 'limit', unit: 'MB' },
  concurrency: { label: 'Tasks at the same time', type: 'limit' },
  rate_per_min: { label: 'Runs per minute', type: 'limit' },
  seats: { label: 'Members', type: 'limit' },
  triggers: { label: 'Triggers', type: 'limit' },
  retention_days: { label: 'Days that history is kept', type: 'limit', unit: 'days' },
  private_apps: { label: 'Private apps', type: 'limit' },
  task_executions: { label: 'Task runs per month', type: 'limit' },
  'feature:byok': { label: 'Own provider keys', type: 'boolean' },
}

const featurePattern = /^feature:[a-z0-9]+([-_][a-z0-9]+)*$/

export const isResource = (name: string): boolean => Object.hasOwn(resourceTable, name) || featurePattern.test(name)

export const typeOfResource = (resource: string): 'limit' | 'boolean' =>
  resourceTable[resource]?.type ?? (resource.startsWith('feature:') ? 'boolean' : 'limit')

export const labelOf = (resource: string): string =>
  resourceTable[resource]?.label ?? resource.replace(/^feature:/, '').replace(/[-_]/g, ' ')

/** One row as far as the rules look at it. */
export type Grant = Pick<Entitlement, 'resource' | 'type' | 'enabled' | 'unlimited' | 'limit' | 'enforcement'> & {
  readonly source: EntitlementSource
}

export type Resolved = Omit<Grant, 'source'>

/** A plan's word on one resource, as a row of the team. */
export const grantOfPlan = (resource: string, limit: PlanLimit, source: 'tier' | 'addon'): Grant => ({
  resource,
  type: limit.type,
  enabled: limit.enabled ?? true,
  unlimited: limit.unlimited ?? false,
  limit: limit.limit ?? 0,
  enforcement: limit.enforcement ?? 'block',
  source,
})

const unmentioned = (resource: string): Resolved => ({
  resource,
  type: typeOfResource(resource),
  enabled: true,
  unlimited: true,
  limit: 0,
  enforcement: 'block',
})

const strip = ({ resource, type, enabled, unlimited, limit, enforcement }: Grant): Resolved => ({
  resource,
  type,
  enabled,
  unlimited,
  limit,
  enforcement,
})

/** The strongest row of a resource counts: override, whitelist, trial; else the tier with its add-ons on top. */
export const resolve = (resource: string, grants: readonly Grant[]): Resolved => {
  const own = grants.filter((grant) => grant.resource === resource)
  for (const source of ['override', 'whitelist', 'trial'] as const) {
    const found = own.find((grant) => grant.source === source)
    if (found) return strip(found)
  }
  const tier = own.find((grant) => grant.source === 'tier')
  const addons = own.filter((grant) => grant.source === 'addon')
  if (addons.length === 0) return tier ? strip(tier) : unmentioned(resource)
  const parts = tier ? [tier, ...addons] : addons
  const first = parts[0] ?? unmentioned(resource)
  return {
    resource,
    type: first.type,
    enabled: parts.some((part) => part.enabled),
    unlimited: parts.some((part) => part.unlimited && part.enabled),
    limit: parts.reduce((sum, part) => sum + (part.enabled ? part.limit : 0), 0),
    enforcement: first.enforcement,
  }
}

/** A limit of 0 is a feature that the plan does not have. */
export const isDisabled = (resolved: Resolved): boolean =>
  !resolved.enabled || (resolved.type === 'limit' && !resolved.unlimited && resolved.limit === 0)

export const isUnbounded = (resolved: Resolved): boolean =>
  resolved.enabled && (resolved.type === 'boolean' || resolved.unlimited)

export const exceeds = (resolved: Resolved, current: number, adding: number): boolean =>
  !isUnbounded(resolved) && current + adding > resolved.limit
