// Guards: whoever is about to run an app reads what that will cost, as far as it is known, and nothing where there is no price.
import type { Estimate } from '@millrace/contract/pricing'
import { expect, it } from 'vitest'
import { estimateText } from './estimate.ts'

it.each<[what: string, estimate: Estimate, expected: string | undefined]>([
  ['no price', { confidence: 'exact', microcents: 0 }, undefined],
  ['an amount', { confidence: 'exact', microcents: 2_000_000 }, 'Costs $0.02'],
  [
    'nothing, of an app that has a price',
    { confidence: 'exact', microcents: 0, pricing_description: '2 cents an image' },
    'Costs nothing',
  ],
  ['a span', { confidence: 'range', min: 1_000_000, max: 500_000_000 }, 'Costs $0.01 to $5.00'],
  ['a span of one amount', { confidence: 'range', min: 1_000_000, max: 1_000_000 }, 'Costs about $0.01'],
  [
    'what is known after the run',
    { confidence: 'unknown', depends_on: ['output_meta', 'elapsed_ms'] },
    'What it costs follows from what it makes and how long it takes',
  ],
  ['a form that is not filled in', { confidence: 'unknown', depends_on: [], estimate_error: 'no such key' }, undefined],
])('%s', (_what, estimate, expected) => {
  expect(estimateText(estimate)).toBe(expected)
})
