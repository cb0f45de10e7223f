// Compiled graphs of versions in use, cached up to a total size.
import { LRUCache } from 'lru-cache'
import type { Db } from '#platform/db/database.ts'
import { pinnedVersion } from '../flows/service.ts'
import { compilePlan, type Plan } from './engine/plan.ts'
import { findAppVersion } from './store.ts'
import { compileExpressions } from './yielding.ts'

export type CachedPlan = {
  plan: Plan
  flowId: string
  versionId: string
  graphVersion: number
  /** The version of the app that was deployed from this version of the flow. */
  appVersionId: string
}

const maxBytes = 64 * 1024 * 1024
/** Estimated size of a compiled plan relative to the text of its graph. */
const weight = 4

const cachedPlans = new LRUCache<string, CachedPlan>({ maxSize: maxBytes })

/** The cached plan of a published version, which never changes. */
export const publishedPlan = (versionId: string): CachedPlan | undefined => cachedPlans.get(versionId)

/**
 * The plan of a frozen version. A cached plan counts only for the same graph version, because a draft may have been
 * compiled in a transaction that was rolled back with its freezing.
 */
export const loadPlan = async (db: Db, versionId: string, graphVersion: number): Promise<CachedPlan> => {
  const known = cachedPlans.get(versionId)
  if (known?.graphVersion === graphVersion) return known
  const version = await pinnedVersion(db, versionId)
  if (!version) throw new Error(`Version ${versionId} of a flow does not exist`)
  const app = await findAppVersion(db, versionId)
  const plan = compilePlan(version.graph)
  await compileExpressions(plan)
  const entry: CachedPlan = {
    plan,
    flowId: version.flow_id,
    versionId,
    graphVersion: version.graph_version,
    appVersionId: app?.id ?? '',
  }
  cachedPlans.set(versionId, entry, { size: JSON.stringify(version.graph).length * weight })
  return entry
}
