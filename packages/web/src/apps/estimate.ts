// The expected cost of a run as text. Pure.
import type { Estimate } from '@millrace/contract/pricing'
import { moneyText } from '../money/amounts.ts'
import { strings } from './strings.ts'

const words = strings.estimate

const rangeText = (min: number, max: number): string =>
  min === max ? words.about(moneyText(min)) : words.range(moneyText(min), moneyText(max))

const unknownText = ({ depends_on = [], estimate_error }: Estimate): string | undefined => {
  // Usually the form is incomplete.
  if (estimate_error !== undefined) return undefined
  return words.depends(depends_on.map((name) => words.results[name] ?? name))
}

/** Undefined for apps without a price. */
export const estimateText = (estimate: Estimate): string | undefined => {
  const { confidence, microcents = 0, min = 0, max = 0, pricing_description: described } = estimate
  if (confidence === 'range') return rangeText(min, max)
  if (confidence === 'unknown') return unknownText(estimate)
  if (microcents === 0) return described === undefined ? undefined : words.free
  return words.exact(moneyText(microcents))
}
