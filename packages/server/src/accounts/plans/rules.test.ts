// Guarantees: which of several rows about one resource applies, and when a limit is reached.
import { describe, expect, it } from 'vitest'
import { type EntitlementGrant, exceeds, isDisabled, isResource, isUnbounded, labelOf, resolve } from './rules.ts'

const limit = (
  source: EntitlementGrant['source'],
  value: number | null,
  more: Partial<EntitlementGrant> = {},
): EntitlementGrant => ({
  resource: 'seats',
  type: 'limit',
  enabled: true,
  unlimited: value === null,
  limit: value ?? 0,
  enforcement: 'block',
  source,
  ...more,
})

describe('among rows of one resource', () => {
  const cases: [string, EntitlementGrant[], { limit?: number; unlimited?: boolean; enabled?: boolean }][] = [
    ['no rows: unlimited', [], { unlimited: true, enabled: true }],
    ['the tier', [limit('tier', 5)], { limit: 5, unlimited: false }],
    ['add-ons add to the tier', [limit('tier', 5), limit('addon', 3), limit('addon', 2)], { limit: 10 }],
    ['an unlimited add-on lifts the tier', [limit('tier', 5), limit('addon', null)], { unlimited: true }],
    ['an add-on alone', [limit('addon', 3)], { limit: 3 }],
    ['an add-on gives what the tier lacks', [limit('tier', 0, { enabled: false }), limit('addon', 3)], { limit: 3 }],
    ['a trial before tier and add-on', [limit('tier', 5), limit('addon', 9), limit('trial', 7)], { limit: 7 }],
    ['a whitelist before a trial', [limit('trial', 7), limit('whitelist', null)], { unlimited: true }],
    [
      'an override before everything',
      [limit('whitelist', null), limit('trial', 7), limit('tier', 5), limit('override', 1)],
      { limit: 1, unlimited: false },
    ],
    ['rows of others do not count', [limit('override', 1, { resource: 'triggers' }), limit('tier', 5)], { limit: 5 }],
  ]
  it.each(cases)('%s', (_claim, grants, expected) => {
    expect(resolve('seats', grants)).toMatchObject(expected)
    expect(resolve('seats', [...grants].reverse())).toMatchObject(expected)
  })
})

describe('a limit', () => {
  const resolved = (value: number | null, more: Partial<EntitlementGrant> = {}) =>
    resolve('seats', [limit('tier', value, more)])
  it.each([
    ['below', resolved(5), 3, 1, false],
    ['reaching it', resolved(5), 4, 1, false],
    ['past it', resolved(5), 5, 1, true],
    ['many at once', resolved(5), 3, 3, true],
    ['unlimited', resolved(null), 1e9, 1, false],
    ['disabled', resolved(5, { enabled: false }), 5, 1, true],
  ] as const)('%s', (_claim, entitlement, current, adding, expected) => {
    expect(exceeds(entitlement, current, adding)).toBe(expected)
  })

  it('of 0, or switched off, is a feature the plan does not have', () => {
    expect(isDisabled(resolved(0))).toBe(true)
    expect(isDisabled(resolved(5, { enabled: false }))).toBe(true)
    expect(isDisabled(resolved(null))).toBe(false)
    expect(isUnbounded(resolved(null, { enabled: false }))).toBe(false)
  })

  it('a switch is on or off', () => {
    const feature = (enabled: boolean) =>
      resolve('feature:x', [limit('tier', 0, { resource: 'feature:x', type: 'boolean', enabled })])
    expect(isUnbounded(feature(true))).toBe(true)
    expect(isDisabled(feature(true))).toBe(false)
    expect(isDisabled(feature(false))).toBe(true)
  })
})

it('resources are the known ones and features', () => {
  for (const name of ['api_keys', 'feature:byok', 'feature:sso', 'feature:own-domain'])
    expect(isResource(name)).toBe(true)
  for (const name of ['', 'keys', 'feature:', 'feature:A', 'toString', 'constructor'])
    expect(isResource(name)).toBe(false)
  expect(labelOf('api_keys')).toBe('API keys')
  expect(labelOf('feature:own-domain')).toBe('own domain')
})
