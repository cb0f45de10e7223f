// The cost of a rental as the server counts it: every started second is charged. Pure.

const microcentsPerCent = 1_000_000
const hourMs = 3_600_000

/** From cents per hour to microcents. */
export const costOfHours = (hourlyPrice: number, hours: number): number =>
  Math.ceil(hourlyPrice * microcentsPerCent * hours)

/** The refund if the rental ends now. */
export const leftOf = (hourlyPrice: number, endTime: string, nowMs: number): number => {
  const seconds = Math.max(0, Math.floor((Date.parse(endTime) - nowMs) / 1000))
  return Math.floor((hourlyPrice * microcentsPerCent * seconds) / 3600)
}

export const endAfter = (nowMs: number, hours: number): string => new Date(nowMs + hours * hourMs).toISOString()

/** The minimum and maximum rental, in hours. */
export const hourLimits = { min: 1, max: 720 }
