// The engines whose sockets this server holds, with the state of each connection.
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Outgoing } from './outgoing.ts'

export type EngineConnection = {
  /** The number of the engine's connection; the highest number is the current one. */
  readonly number: number
  /** By the monotonic clock. */
  readonly sinceMs: number
  readonly outgoing: Outgoing
  close(code: number, reason: string): void
}

export const connectionsOf = perPlatform(() => new Map<string, EngineConnection>())
