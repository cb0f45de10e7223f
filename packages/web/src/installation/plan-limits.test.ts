// Guards: a plan that is opened and saved again says what it said; what is left empty is not said at all.
import type { PlanLimit } from '@millrace/contract/plans'
import { expect, it } from 'vitest'
import { limitsOf, typedLimits, wordsOfLimit } from './plan-limits.ts'

const known: Record<string, PlanLimit> = {
  triggers: { type: 'limit', enabled: true, unlimited: true, limit: 0 },
  seats: { type: 'limit', enabled: true, unlimited: false, limit: 7, enforcement: 'warn' },
  'feature:byok': { type: 'boolean', enabled: false },
}

it('what was read is what is typed', () => {
  expect(typedLimits(known)).toEqual({ triggers: 'unlimited', seats: '7', 'feature:byok': 'no' })
  expect(wordsOfLimit({ type: 'limit', enabled: false, limit: 3 })).toBe('0')
})

it('saved again, it says the same', () => {
  expect(limitsOf(typedLimits(known), known)).toEqual(known)
})

it('what is empty is left to the default plan', () => {
  expect(limitsOf({ triggers: '', seats: '0' }, known)).toEqual({
    seats: { type: 'limit', enabled: false, unlimited: false, limit: 0, enforcement: 'warn' },
  })
})
