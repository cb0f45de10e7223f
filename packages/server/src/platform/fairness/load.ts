// How much room one workspace has beside others, by how busy this process is. While it is, a flood gets less and less of it at once,
// down to one at a time and then with pauses, so that the others' work finds the processor free; while it is not, nobody loses
// anything.

/** The share of the time since it was last asked in which the event loop had work: 0 to 1. */
export type Busyness = () => number

/** The part of what one workspace would have alone: 1 while there is room for all. */
export type ElbowRoom = () => number

const lookEveryMs = 100
/**
 * Above the one there is less room with every look; below the other there is more. Who waits for a loop that works seven tenths of
 * the time waits about as long as its own work takes, and that is what a neighbour may cost.
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

export const createElbowRoom = (busyness: Busyness = loopBusyness()): ElbowRoom => {
  let part = 1
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    const sinceMs = nowMs - lookedAtMs
    if (sinceMs < lookEveryMs) return part
    lookedAtMs = nowMs
    const busy = busyness()
    if (busy > tooBusy) part = Math.max(least, part * keptPerLook)
    // Where nobody has looked for a while, all of that while was calm.
    else if (busy < calm) part = Math.min(1, part * regainedPerLook ** (sinceMs / lookEveryMs))
    return part
  }
}
