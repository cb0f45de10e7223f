// Parses and formats the limits of a plan. Pure.
import type { PlanLimit } from '@millrace/contract/plans'

/** By resource: a number, `unlimited`, `yes` or `no`; empty or absent means the default plan's value. */
export type TypedLimits = Readonly<Record<string, string>>

export const wordsOfLimit = ({ type, enabled = true, unlimited = false, limit = 0 }: PlanLimit): string => {
  if (type === 'boolean') return enabled ? 'yes' : 'no'
  if (!enabled) return '0'
  return unlimited ? 'unlimited' : String(limit)
}

export const typedLimits = (limits: Readonly<Record<string, PlanLimit>>): TypedLimits =>
  Object.fromEntries(Object.entries(limits).map(([resource, limit]) => [resource, wordsOfLimit(limit)]))

export const limitsOf = (typed: TypedLimits, known: Readonly<Record<string, PlanLimit>>): Record<string, PlanLimit> =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([resource, words]): [string, PlanLimit][] => {
      const { type, enforcement } = known[resource] ?? { type: 'limit' as const }
      if (words === '') return []
      const kept = enforcement === undefined ? {} : { enforcement }
      if (type === 'boolean') return [[resource, { type, enabled: words === 'yes', ...kept }]]
      const unlimited = words === 'unlimited'
      return [[resource, { type, enabled: words !== '0', unlimited, limit: unlimited ? 0 : Number(words), ...kept }]]
    }),
  )
