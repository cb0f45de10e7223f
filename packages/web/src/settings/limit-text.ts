// What is used of what a workspace may use, in words. Pure.
import type { EntitlementUsage } from '@millrace/contract/plans'

type Limit = Pick<EntitlementUsage, 'resource' | 'type' | 'enabled' | 'unlimited' | 'limit' | 'current'>

/** A length of time is what it is; nobody uses it up. */
export const isSpan = ({ resource }: Pick<Limit, 'resource'>): boolean => resource === 'retention_days'

export const limitText = (usage: Limit): string => {
  if (usage.type === 'boolean') return usage.enabled ? 'included' : 'not included'
  const limit = usage.unlimited ? 'no limit' : usage.limit.toLocaleString()
  if (isSpan(usage)) return limit
  return `${usage.current.toLocaleString()}${usage.unlimited ? ', ' : ' of '}${limit}`
}
