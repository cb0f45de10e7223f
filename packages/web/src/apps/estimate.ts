// What a run is expected to cost, in words. Pure.
import type { Estimate } from '@millrace/contract/pricing'
import { moneyText } from '../money/amounts.ts'

/** What of a run its price may follow from. */
const results: Readonly<Record<string, string>> = { output_meta: 'what it makes', elapsed_ms: 'how long it takes' }

const spanText = (min: number, max: number): string =>
  min === max ? `Costs about ${moneyText(min)}` : `Costs ${moneyText(min)} to ${moneyText(max)}`

const unknownText = ({ depends_on = [], estimate_error }: Estimate): string | undefined => {
  // Mostly the form is not filled in yet.
  if (estimate_error !== undefined) return undefined
  return `What it costs follows from ${depends_on.map((name) => results[name] ?? name).join(' and ')}`
}

/** Undefined where there is nothing to say: most apps have no price. */
export const estimateText = (estimate: Estimate): string | undefined => {
  const { confidence, microcents = 0, min = 0, max = 0, pricing_description: described } = estimate
  if (confidence === 'range') return spanText(min, max)
  if (confidence === 'unknown') return unknownText(estimate)
  if (microcents === 0) return described === undefined ? undefined : 'Costs nothing'
  return `Costs ${moneyText(microcents)}`
}
