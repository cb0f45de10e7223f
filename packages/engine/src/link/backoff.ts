// Delay before the next retry: exponential up to a maximum, half of it random, so that a thousand engines do not
// reconnect at the same time.

const firstMs = 200

export const maxWaitMs = 30_000

export const backoffMs = (failures: number, random: number, ceilingMs = maxWaitMs): number => {
  const whole = Math.min(ceilingMs, firstMs * 2 ** Math.min(failures, 20))
  return Math.round(whole / 2 + (whole / 2) * random)
}
