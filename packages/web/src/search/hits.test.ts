// Guarantees: every result with a page links to it, and the notice about results by words alone is shown.
import { describe, expect, it } from 'vitest'
import { addressOf, hitOf, wordsOnlyIn } from './hits.ts'

describe('search results', () => {
  it('have the notice about results by words alone', () => {
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
  ] as const)('link from %s to %s', (collection, expected) => {
    const hit = hitOf({ collection, id: 'x1', score: 1, fields: { namespace: 'mill', name: 'stone', title: 3 } })
    expect(addressOf(hit)).toBe(expected)
    expect(hit.title).toBe('stone')
  })
})
