// The end of a wait: after a duration, at a time, or when its resume URL is used.

import { type WaitConfig, waitModes } from '@millrace/contract/flow-control'
import type { NodeWaitKind } from '@millrace/contract/flow-runs'

export type PlannedWait = { kind: NodeWaitKind; untilMs?: number } | { error: string }

const maxWaitMs = 366 * 86_400_000

const timeOf = (until: unknown): number => {
  if (typeof until !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(until)) return Number.NaN
  return Date.parse(until)
}

/** The inputs `duration_ms` and `until` take precedence over the configuration. */
export const planWait = (config: WaitConfig, inputs: Record<string, unknown>, nowMs: number): PlannedWait => {
  switch (config.mode) {
    case 'duration': {
      const durationMs = inputs.duration_ms ?? config.duration_ms
      if (typeof durationMs !== 'number' || !(durationMs >= 0 && durationMs <= maxWaitMs))
        return { error: `duration_ms must be between 0 and ${maxWaitMs}` }
      return { kind: 'time', untilMs: nowMs + durationMs }
    }
    case 'time': {
      const untilMs = timeOf(inputs.until ?? config.until)
      if (Number.isNaN(untilMs)) return { error: 'until must be an RFC 3339 time' }
      if (untilMs > nowMs + maxWaitMs) return { error: 'until must be at most 366 days away' }
      return { kind: 'time', untilMs }
    }
    case 'resume':
      return { kind: 'resume', ...(config.timeout_ms !== undefined && { untilMs: nowMs + config.timeout_ms }) }
    default:
      return { error: `the mode of a wait is one of ${waitModes.join(', ')}` }
  }
}
