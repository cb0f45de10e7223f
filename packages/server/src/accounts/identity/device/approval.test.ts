// Guarantees: an approver grants at most their own scopes, sign-in-only scopes only if named, platform rights only if
// they have and select them, and no lifetime above a year.
import type { Grant } from '@millrace/contract/scopes'
import { describe, expect, it, test } from 'vitest'
import { type ApprovalTarget, type Approver, lifetimeOf, planDeviceKey, planSession } from './approval.ts'

const everything: Grant = { kind: 'everything' }
const narrowed: Grant = { kind: 'listed', bearer: 'sign-in', scopes: ['apps:read', 'user:read'] }
const person: Approver = { grant: everything, platform: 'not_staff' }
const place: ApprovalTarget = { role: 'member', personal: false, isPlatform: false }

describe('scopes of a session', () => {
  test.each<[string, Approver, string[] | undefined, object, Partial<ApprovalTarget>?]>([
    ['nothing asked: full access', person, undefined, { scopes: null, elevated: false }],
    ['a list', person, ['apps:read', 'apps:read'], { scopes: ['apps:read'], elevated: false }],
    ['sign-in-only when named', person, ['apikeys:write'], { scopes: ['apikeys:write'], elevated: false }],
    ['a resource word', person, ['agents'], { scopes: ['agents'], elevated: false }],
    ['a star', person, ['*'], { scopes: ['*'], elevated: false }],
    ['unknown', person, ['apps:fly'], { refused: 'validation_error' }],
    ['unknown among known', person, ['apps:read', ''], { refused: 'validation_error' }],
    [
      'a narrowed browser hands on what it holds',
      { ...person, grant: narrowed },
      undefined,
      { scopes: ['apps:read', 'user:read'] },
    ],
    ['… and names less', { ...person, grant: narrowed }, ['apps:read'], { scopes: ['apps:read'] }],
    ['… but not more', { ...person, grant: narrowed }, ['apps:write'], { refused: 'insufficient_scope' }],
    ['… nor by a word', { ...person, grant: narrowed }, ['apps'], { refused: 'insufficient_scope' }],
    ['… nor by a star', { ...person, grant: narrowed }, ['*'], { refused: 'insufficient_scope' }],
    ['admin by anyone', person, ['admin:read'], { refused: 'forbidden' }],
    [
      'admin by staff without proof',
      { ...person, platform: 'otp_required' },
      ['admin:read'],
      { refused: 'otp_required' },
    ],
    ['admin by powered staff', { ...person, platform: 'powered' }, ['admin:read'], { elevated: true }],
    ['full access by powered staff', { ...person, platform: 'powered' }, undefined, { scopes: null, elevated: false }],
    ['a star by powered staff', { ...person, platform: 'powered' }, ['*'], { scopes: ['*'], elevated: false }],
    ['store elsewhere', person, ['store:submit'], { refused: 'insufficient_scope' }],
    ['store in the platform workspace', person, ['store:submit'], { scopes: ['store:submit'] }, { isPlatform: true }],
  ])('%s', (_claim, approver, requested, expected, where = {}) =>
    expect(planSession(approver, requested, { ...place, ...where })).toMatchObject(expected),
  )
})

describe('scopes of a legacy key', () => {
  const now = new Date()
  test.each<[string, Approver, string[] | undefined, object, Partial<ApprovalTarget>?]>([
    ['nothing asked: what a key can hold', person, undefined, { scopes: [], elevated: false }],
    ['a list', person, ['apps:read'], { scopes: ['apps:read'] }],
    ['sign-in-only', person, ['user:read'], { refused: 'validation_error' }],
    ['unknown', person, ['apps:fly'], { refused: 'validation_error' }],
    ['engine scopes by a member', person, ['engines:write'], { refused: 'team_role_required' }],
    ['engine scopes by an admin', person, ['engines:write'], { scopes: ['engines:write'] }, { role: 'admin' }],
    ['store elsewhere', person, ['store:submit'], { refused: 'forbidden' }],
    ['more than the approver holds', { ...person, grant: narrowed }, ['apps:write'], { refused: 'insufficient_scope' }],
    ['a narrowed approver, nothing asked', { ...person, grant: narrowed }, undefined, { scopes: ['apps:read'] }],
    ['never platform power', { ...person, platform: 'powered' }, ['apps:read'], { elevated: false }],
  ])('%s', (_claim, approver, requested, expected, where = {}) =>
    expect(planDeviceKey(approver, requested, { ...place, ...where }, now)).toMatchObject(expected),
  )
})

describe('lifetime', () => {
  it('is 30 days by default', () => expect(lifetimeOf(undefined)).toBe(2_592_000))
  it('is what was asked for', () => expect(lifetimeOf(60)).toBe(60))
  it('is at most a year', () => expect(lifetimeOf(1e12)).toBe(365 * 24 * 3600))
})
