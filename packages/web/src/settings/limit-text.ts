// Usage of a limit as text. Pure.
import type { EntitlementUsage } from '@millrace/contract/plans'
import { countText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

type Limit = Pick<EntitlementUsage, 'resource' | 'type' | 'enabled' | 'unlimited' | 'limit' | 'current'>

/** A limit that is a duration has no usage. */
export const isSpan = ({ resource }: Pick<Limit, 'resource'>): boolean => resource === 'retention_days'

export const limitText = (usage: Limit): string => {
  if (usage.type === 'boolean') return usage.enabled ? strings.usage.included : strings.usage.notIncluded
  const limit = usage.unlimited ? strings.usage.unlimited : countText(usage.limit)
  if (isSpan(usage)) return limit
  return `${countText(usage.current)}${usage.unlimited ? ', ' : ' of '}${limit}`
}
