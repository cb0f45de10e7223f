// The engines whose sockets this server holds, and what each was told over its connection.
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Outgoing } from './outgoing.ts'

export type EngineLine = {
  /** Counts the connections of the engine: the newest is the one that counts. */
  readonly connection: number
  /** By the clock that never jumps. */
  readonly sinceMs: number
  readonly outgoing: Outgoing
  close(code: number, reason: string): void
}

export const linesOf = perPlatform(() => new Map<string, EngineLine>())
