// Computes the entitlements of a workspace from its plan and the operator's rows. Pure.
import type { Entitlement, EntitlementSource, PlanLimit } from '@millrace/contract/plans'

/** Resources that the platform counts or gates; any other `feature:…` is a switch. */
export const resourceTable: Readonly<Record<string, { label: string; type: 'limit' | 'boolean'; unit?: string }>> = {
  api_keys: { label: 'API keys', type: 'limit' },
  connectors: { label: 'Connectors', type: 'limit' },
  knowledge_bases: { label: 'Knowledge entries', type: 'limit' },
  storage_mb: { label: 'Storage', type: 'limit', unit: 'MB' },
  concurrency: { label: 'Tasks at the same time', type: 'limit' },
  rate_per_min: { label: 'Runs per minute', type: 'limit' },
  seats: { label: 'Members', type: 'limit' },
  triggers: { label: 'Triggers', type: 'limit' },
  retention_days: { label: 'Days of retained history', type: 'limit', unit: 'days' },
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

/** The fields of a row that the rules use. */
export type EntitlementGrant = Pick<
  Entitlement,
  'resource' | 'type' | 'enabled' | 'unlimited' | 'limit' | 'enforcement'
> & {
  readonly source: EntitlementSource
}

export type Resolved = Omit<EntitlementGrant, 'source'>

/** A plan's limit of one resource, as a row of the workspace. */
export const grantOfPlan = (resource: string, limit: PlanLimit, source: 'tier' | 'addon'): EntitlementGrant => ({
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

const strip = ({ resource, type, enabled, unlimited, limit, enforcement }: EntitlementGrant): Resolved => ({
  resource,
  type,
  enabled,
  unlimited,
  limit,
  enforcement,
})

/** The strongest row of a resource wins: override, whitelist, trial; otherwise the tier plus its add-ons. */
export const resolve = (resource: string, grants: readonly EntitlementGrant[]): Resolved => {
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

/** A limit of 0 means that the plan does not have the feature. */
export const isDisabled = (resolved: Resolved): boolean =>
  !resolved.enabled || (resolved.type === 'limit' && !resolved.unlimited && resolved.limit === 0)

export const isUnbounded = (resolved: Resolved): boolean =>
  resolved.enabled && (resolved.type === 'boolean' || resolved.unlimited)

export const exceeds = (resolved: Resolved, current: number, adding: number): boolean =>
  !isUnbounded(resolved) && current + adding > resolved.limit
