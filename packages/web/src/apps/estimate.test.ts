// Guarantees: the form shows the expected cost of a run as far as it is known, and nothing for apps without a price.
import type { Estimate } from '@millrace/contract/pricing'
import { expect, it } from 'vitest'
import { estimateText } from './estimate.ts'

it.each<[what: string, estimate: Estimate, expected: string | undefined]>([
  ['no price', { confidence: 'exact', microcents: 0 }, undefined],
  ['an amount', { confidence: 'exact', microcents: 2_000_000 }, 'Cost: $0.02'],
  [
    'a free run of an app with a price',
    { confidence: 'exact', microcents: 0, pricing_description: '2 cents an image' },
    'Cost: free',
  ],
  ['a range', { confidence: 'range', min: 1_000_000, max: 500_000_000 }, 'Cost: $0.01 to $5.00'],
  ['a range of one amount', { confidence: 'range', min: 1_000_000, max: 1_000_000 }, 'Cost: about $0.01'],
  [
    'a cost that is known after the run',
    { confidence: 'unknown', depends_on: ['output_meta', 'elapsed_ms'] },
    'The cost depends on the output and the duration',
  ],
  ['an incomplete form', { confidence: 'unknown', depends_on: [], estimate_error: 'no such key' }, undefined],
])('%s', (_what, estimate, expected) => {
  expect(estimateText(estimate)).toBe(expected)
})
