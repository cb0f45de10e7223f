// Names of agents. Pure.
import { nameRule } from '#platform/core/names.ts'

const reserved: ReadonlySet<string> = new Set([
  'versions',
  'card',
  'visibility',
  'transfer',
  'duplicate',
  'rules',
  'runs',
])

/** Why a name is invalid; null if only a name conflict can still reject it. */
export const nameProblem = nameRule(reserved)
