// How long to wait before the next try: doubling up to a ceiling, with half of it random, so that a thousand engines
// do not come back in the same instant.

const firstMs = 200

export const longestWaitMs = 30_000

export const backoffMs = (failures: number, random: number, ceilingMs = longestWaitMs): number => {
  const whole = Math.min(ceilingMs, firstMs * 2 ** Math.min(failures, 20))
  return Math.round(whole / 2 + (whole / 2) * random)
}
