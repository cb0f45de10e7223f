// Names of flows. Pure.
import { nameRule } from '#platform/core/names.ts'

const reservedNames: ReadonlySet<string> = new Set([
  'versions',
  'actions',
  'stream',
  'app',
  'publish',
  'visibility',
  'transfer',
  'duplicate',
])

/** Why a flow cannot have this name; null when only another flow can still object. */
export const nameProblem = nameRule(reservedNames)
