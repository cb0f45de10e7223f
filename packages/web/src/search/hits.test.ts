// Guards: every hit with a page leads to it, and results by words alone are said to be.
import { describe, expect, it } from 'vitest'
import { addressOf, hitOf, wordsOnlyIn } from './hits.ts'

describe('what search finds', () => {
  it('is said to go by words alone, where it does', () => {
    const message = 'These results go by words alone'
    expect(wordsOnlyIn([{ level: 'info', code: 'semantic_unavailable', message }])).toBe(message)
    expect(wordsOnlyIn([{ level: 'info', code: 'no_engine', message: 'No engine is there' }])).toBeUndefined()
  })
  it.each([
    ['apps', '/apps/mill/stone'],
    ['skills', '/knowledge/x1'],
    ['knowledge', '/knowledge/x1'],
    ['agents', '/agents/x1'],
    ['flows', '/flows/x1'],
    ['pages', null],
  ] as const)('leads from %s to %s', (collection, expected) => {
    const hit = hitOf({ collection, id: 'x1', score: 1, fields: { namespace: 'mill', name: 'stone', title: 3 } })
    expect(addressOf(hit)).toBe(expected)
    expect(hit.title).toBe('stone')
  })
})
