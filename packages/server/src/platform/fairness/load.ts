// Reduces the share of a workspace by the load of this process. While the event loop is busy, a flooding workspace may
// have less and less work in progress, down to one call at a time with pauses, so that others find a free processor.
// Without load, no share is reduced.

/** Utilization of the event loop since the last sample: 0 to 1. */
export type Busyness = () => number

/** Factor for the share of a workspace while others are present: 1 without load. */
export type LoadFactor = () => number

const lookEveryMs = 100
/**
 * The share shrinks with every sample above the first threshold and grows below the second. At 70 % utilization,
 * queueing delay is about equal to service time, which is the accepted cost of a neighbor.
 */
const tooBusy = 0.7
const calm = 0.55
const keptPerLook = 0.8
const regainedPerLook = 1.1
const least = 1 / 128

const loopBusyness = (): Busyness => {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

export const createLoadFactor = (busyness: Busyness = loopBusyness()): LoadFactor => {
  let part = 1
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    const sinceMs = nowMs - lookedAtMs
    if (sinceMs < lookEveryMs) return part
    lookedAtMs = nowMs
    const busy = busyness()
    if (busy > tooBusy) part = Math.max(least, part * keptPerLook)
    // A period without samples counts as calm.
    else if (busy < calm) part = Math.min(1, part * regainedPerLook ** (sinceMs / lookEveryMs))
    return part
  }
}
