// Compiled graphs of versions in use, kept in memory up to a bound on their size.
import { LRUCache } from 'lru-cache'
import type { Db } from '#platform/db/database.ts'
import { heldVersion } from '../flows/service.ts'
import { compilePlan, type Plan } from './engine/plan.ts'
import { findAppVersion } from './store.ts'
import { compileExpressions } from './turns.ts'

export type HeldPlan = {
  plan: Plan
  flowId: string
  versionId: string
  graphVersion: number
  /** The version of the app that was deployed from this version of the flow. */
  appVersionId: string
}

const maxBytes = 64 * 1024 * 1024
/** A compiled plan takes about this much more room than the text of its graph. */
const weight = 4

const held = new LRUCache<string, HeldPlan>({ maxSize: maxBytes })

/** The plan of a version that was published, if it is at hand: such a version never had another graph. */
export const publishedPlan = (versionId: string): HeldPlan | undefined => held.get(versionId)

/**
 * The plan of a frozen version. A draft may have been compiled by a transaction that was then undone, with the freezing
 * it had done, so what is at hand counts only when it is of the same graph.
 */
export const loadPlan = async (db: Db, versionId: string, graphVersion: number): Promise<HeldPlan> => {
  const known = held.get(versionId)
  if (known?.graphVersion === graphVersion) return known
  const version = await heldVersion(db, versionId)
  if (!version) throw new Error(`Version ${versionId} of a flow is not there`)
  const app = await findAppVersion(db, versionId)
  const plan = compilePlan(version.graph)
  await compileExpressions(plan)
  const entry: HeldPlan = {
    plan,
    flowId: version.flow_id,
    versionId,
    graphVersion: version.graph_version,
    appVersionId: app?.id ?? '',
  }
  held.set(versionId, entry, { size: JSON.stringify(version.graph).length * weight })
  return entry
}
