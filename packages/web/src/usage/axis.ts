// The scale of a chart. Pure.
import type { Measure } from './address.ts'

/** The smallest of 2, 4, 10, 20, 40 … that contains the maximum, so that half of it is a round number, too. */
export const axisTop = (max: number, show: Measure): number => {
  const least = show === 'cost' ? 100 : 2
  if (max <= least) return least
  const power = 10 ** Math.floor(Math.log10(max))
  return ([1, 2, 4, 10].find((step) => step * power >= max) ?? 10) * power
}
