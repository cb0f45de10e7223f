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

/** Why an agent cannot have this name; null when only another agent can still object. */
export const nameProblem = nameRule(reserved)
