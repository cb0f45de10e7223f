// Guarantees: opening and saving a plan does not change its limits; empty fields are not sent.
import type { PlanLimit } from '@millrace/contract/plans'
import { expect, it } from 'vitest'
import { limitsOf, typedLimits, wordsOfLimit } from './plan-limits.ts'

const known: Record<string, PlanLimit> = {
  triggers: { type: 'limit', enabled: true, unlimited: true, limit: 0 },
  seats: { type: 'limit', enabled: true, unlimited: false, limit: 7, enforcement: 'warn' },
  'feature:byok': { type: 'boolean', enabled: false },
}

it('formats limits as form texts', () => {
  expect(typedLimits(known)).toEqual({ triggers: 'unlimited', seats: '7', 'feature:byok': 'no' })
  expect(wordsOfLimit({ type: 'limit', enabled: false, limit: 3 })).toBe('0')
})

it('parses its own texts to the same limits', () => {
  expect(limitsOf(typedLimits(known), known)).toEqual(known)
})

it('leaves empty fields to the default plan', () => {
  expect(limitsOf({ triggers: '', seats: '0' }, known)).toEqual({
    seats: { type: 'limit', enabled: false, unlimited: false, limit: 0, enforcement: 'warn' },
  })
})
