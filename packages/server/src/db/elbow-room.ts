// How much room one workspace has beside others, by how busy this process is. While it is, a flood gets less and less of it at once,
// down to one at a time, so that the others' work finds the processor free; while it is not, nobody loses anything.

/** The share of the time since it was last asked in which the event loop had work: 0 to 1. */
export type Busyness = () => number

/** Of `most`, how much there is now; 1 at least. */
export type ElbowRoom = (most: number) => number

const lookEveryMs = 200
/** Above the one there is less room with every look; below the other there is more, slowly. */
const tooBusy = 0.8
const calm = 0.65
const regainedPerLook = 0.05
const least = 1 / 16

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
  const look = (): void => {
    const nowMs = performance.now()
    if (nowMs - lookedAtMs < lookEveryMs) return
    lookedAtMs = nowMs
    const busy = busyness()
    if (busy > tooBusy) part = Math.max(least, part / 2)
    else if (busy < calm) part = Math.min(1, part + regainedPerLook)
  }
  return (most) => {
    look()
    return Math.max(1, Math.floor(most * part))
  }
}
