// Reduces the share of a workspace by the load of this process. While the event loop is busy, a flooding workspace may
// have less and less work in progress, down to one call at a time with pauses, so that the processor is free for others.
// Without load, no share is reduced.

/** Utilization of the event loop since the last sample: 0 to 1. */
export type Utilization = () => number

/** Factor for the share of a workspace while others are present: 1 without load. */
export type LoadFactor = () => number

const sampleIntervalMs = 100
/**
 * The share shrinks with every sample above the first threshold and grows below the second. At 70 % utilization,
 * queueing delay is about equal to service time, which is the accepted cost of a neighbor.
 */
const highUtilization = 0.7
const lowUtilization = 0.55
const shrinkPerSample = 0.8
const growthPerSample = 1.1
const minFactor = 1 / 128

const loopUtilization = (): Utilization => {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

export const createLoadFactor = (readUtilization: Utilization = loopUtilization()): LoadFactor => {
  let part = 1
  let sampledAtMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    const sinceMs = nowMs - sampledAtMs
    if (sinceMs < sampleIntervalMs) return part
    sampledAtMs = nowMs
    const utilizationNow = readUtilization()
    if (utilizationNow > highUtilization) part = Math.max(minFactor, part * shrinkPerSample)
    // A period without samples counts as a period of low utilization.
    else if (utilizationNow < lowUtilization) part = Math.min(1, part * growthPerSample ** (sinceMs / sampleIntervalMs))
    return part
  }
}
