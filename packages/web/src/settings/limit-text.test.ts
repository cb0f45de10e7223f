// Guarantees: usage is shown with its limit; a duration is shown alone.
import { expect, it } from 'vitest'
import { limitText } from './limit-text.ts'

const seats = { resource: 'seats', type: 'limit', enabled: true, unlimited: false, limit: 10, current: 3 } as const

it.each([
  [seats, '3 of 10'],
  [{ ...seats, unlimited: true }, '3, unlimited'],
  [{ ...seats, resource: 'retention_days', limit: 90, current: 0 }, '90'],
  [{ ...seats, resource: 'retention_days', unlimited: true }, 'unlimited'],
  [{ ...seats, type: 'boolean' }, 'included'],
  [{ ...seats, type: 'boolean', enabled: false }, 'not included'],
] as const)('%j is “%s”', (usage, words) => expect(limitText(usage)).toBe(words))
