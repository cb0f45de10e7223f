// The parts that a feature adds to the server. `app.ts` lists the features in order. Parts around core (jobs, routes,
// sealed columns) extend this type in their own files.
import type { Platform, UsageCounters } from './ctx.ts'
import type { DeclaredRoute } from './declared-route.ts'
import type { Extension } from './extension-points.ts'
import type { Operation } from './operation.ts'

export interface Feature {
  readonly name: string
  readonly operations: readonly Operation[]
  /** Routes that are not operations; a test compares the list with the mounted routes. */
  readonly declaredRoutes?: readonly DeclaredRoute[]
  /** Counters of the entitlement resources that the feature owns, such as `api_keys`. */
  readonly usage?: UsageCounters
  /** Listeners on the extension points of other features. The server and `millrace admin` have the same ones. */
  readonly on?: readonly Extension[]
  /** Runs once before the server listens; the returned function runs when the server stops. */
  readonly start?: (platform: Platform) => Promise<() => Promise<void>>
  /** Runs once the server accepts requests; the returned function runs first when the server stops. */
  readonly listening?: (platform: Platform) => Promise<() => Promise<void>>
}
