// What a feature brings to the server. `app.ts` lists them in order. What it brings to one of the parts around core
// (jobs, routes, sealed columns) is declared where that part is.
import type { Platform, UsageCounters } from './ctx.ts'
import type { Operation } from './operation.ts'
import type { RawDoor } from './raw-door.ts'

export interface Feature {
  readonly name: string
  readonly operations: readonly Operation[]
  /** Doors that are not operations; a test holds the list against what is really mounted. */
  readonly doors?: readonly RawDoor[]
  /** Counters of the entitlement resources that the feature owns, such as `api_keys`. */
  readonly usage?: UsageCounters
  /** Runs once before the server listens; what it returns is called when the server stops. */
  readonly start?: (platform: Platform) => Promise<() => Promise<void>>
  /** Runs once the server answers requests; what it returns is called first when the server stops. */
  readonly listening?: (platform: Platform) => Promise<() => Promise<void>>
}
