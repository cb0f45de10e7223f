// Guards: what is used is told beside its limit, and a length of time by itself.
import { expect, it } from 'vitest'
import { limitText } from './limit-text.ts'

const seats = { resource: 'seats', type: 'limit', enabled: true, unlimited: false, limit: 10, current: 3 } as const

it.each([
  [seats, '3 of 10'],
  [{ ...seats, unlimited: true }, '3, no limit'],
  [{ ...seats, resource: 'retention_days', limit: 90, current: 0 }, '90'],
  [{ ...seats, resource: 'retention_days', unlimited: true }, 'no limit'],
  [{ ...seats, type: 'boolean' }, 'included'],
  [{ ...seats, type: 'boolean', enabled: false }, 'not included'],
] as const)('%j is “%s”', (usage, words) => expect(limitText(usage)).toBe(words))
