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

/** The reason why a name is invalid; null if it is valid, but may be taken. */
export const nameProblem = nameRule(reservedNames)
