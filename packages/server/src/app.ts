// The table of contents: every feature of the server, in the order in which it is mounted and started.
import { accessFeature } from './access/feature.ts'
import { appsFeature } from './apps/feature.ts'
import type { UsageCounters } from './core/ctx.ts'
import type { Feature } from './core/feature.ts'
import type { Operation } from './core/operation.ts'
import { identityFeature } from './identity/feature.ts'
import { teamsFeature } from './teams/feature.ts'

export const features: readonly Feature[] = [identityFeature, teamsFeature, accessFeature, appsFeature]

export const operations: readonly Operation[] = features.flatMap((feature) => feature.operations)

export const usageCounters: UsageCounters = Object.assign({}, ...features.map((feature) => feature.usage ?? {}))
