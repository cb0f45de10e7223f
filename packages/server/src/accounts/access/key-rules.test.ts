// Guarantees: a new key never has more scopes than its creator, never lives longer than the key that created it, and
// never has a sign-in-only scope; every refusal has its code [access 2, access 5].
import { type Grant, grantOfKey, grantOfSession } from '@millrace/contract/scopes'
import {
  type Credential,
  engineActions,
  everyText,
  grantOf,
  keyActions,
  modelHeld,
  mostPermissive,
  signInActions,
  staffStatuses,
} from '@millrace/contract/testing/scope-model'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type KeyCreator, type KeyPlace, type KeyRequest, type PlannedKey, planKey } from './key-rules.ts'

const now = new Date('2030-01-01T00:00:00Z')
const hoursFromNow = (hours: number): Date => new Date(now.getTime() + hours * 3_600_000)
const at = (hours: number): string => hoursFromNow(hours).toISOString()

const browser: KeyCreator = { kind: 'sign-in', grant: grantOfSession(null) }
const login = (...scopes: string[]): KeyCreator => ({ kind: 'sign-in', grant: grantOfSession(scopes) })
const keyGrant = (...scopes: string[]): Grant => grantOfKey({ scopes, holdsEngineScopes: false })
const key = (scopes: string[], expiresAt: Date | null = null): KeyCreator => ({
  kind: 'key',
  grant: keyGrant(...scopes),
  scope: 'user',
  expiresAt,
})

const member: KeyPlace = { teamAdmin: false, personalTeam: false, inPlatformTeam: false }
const admin: KeyPlace = { ...member, teamAdmin: true }
const personal: KeyPlace = { ...admin, personalTeam: true }
const platformMember: KeyPlace = { ...member, inPlatformTeam: true }

describe('what is made', () => {
  type Case = [claim: string, creator: KeyCreator, request: KeyRequest, place: KeyPlace, made: Partial<PlannedKey>]
  const cases: Case[] = [
    ['a browser: full access', browser, {}, member, { scope: 'user', scopes: [], expiresAt: null, source: '' }],
    ['an empty list is an omitted one', browser, { scopes: [] }, member, { scopes: [], holdsEngineScopes: false }],
    ["an admin's full key holds engine scopes", browser, {}, admin, { scopes: [], holdsEngineScopes: true }],
    ['* is full access', browser, { scopes: ['*'] }, admin, { scopes: ['*'], holdsEngineScopes: true }],
    ['a list is kept, once each', browser, { scopes: ['apps', 'apps'] }, member, { scopes: ['apps'] }],
    ["an admin's listed key has its list only", browser, { scopes: ['apps'] }, admin, { holdsEngineScopes: false }],
    ['an admin lists engine scopes', browser, { scopes: ['engines:read'] }, admin, { scopes: ['engines:read'] }],
    ['a narrowed login hands on its list', login('apps', 'user:read'), {}, member, { scopes: ['apps'] }],
    ['engine scopes stay with admins', login('apps', 'engines:read'), {}, member, { scopes: ['apps'] }],
    ['store scopes stay in the platform workspace', login('apps', 'store:submit'), {}, member, { scopes: ['apps'] }],
    ['a part of a word', login('apps'), { scopes: ['apps:read'] }, member, { scopes: ['apps:read'] }],
    [
      'a word made of all its parts',
      login('files:read', 'files:write'),
      { scopes: ['files'] },
      member,
      { scopes: ['files'] },
    ],
    [
      'an alias',
      login('integrations:read'),
      { scopes: ['credentials:read'] },
      member,
      { scopes: ['credentials:read'] },
    ],
    ['what reading secrets implies', login('secrets:read'), { scopes: ['secrets:reveal'] }, member, { source: '' }],
    ['a store scope in the platform workspace', browser, { scopes: ['store:submit'] }, platformMember, { source: '' }],
    ['a workspace key', browser, { scope: 'workspace' }, admin, { scope: 'workspace', source: '' }],
    [
      '24 hours make it temporary',
      browser,
      { expires_at: at(24) },
      member,
      { source: 'token', expiresAt: hoursFromNow(24) },
    ],
    ['longer does not', browser, { expires_at: at(24.001) }, member, { source: '' }],
    [
      'a short workspace key is not temporary',
      browser,
      { scope: 'workspace', expires_at: at(1) },
      admin,
      { source: '' },
    ],
    ['an offset is read', browser, { expires_at: '2030-01-01T03:00:00+02:00' }, member, { expiresAt: hoursFromNow(1) }],
    ['a key without expiry does not cap', key([]), { expires_at: at(48) }, member, { expiresAt: hoursFromNow(48) }],
    [
      'a key caps a longer life',
      key([], hoursFromNow(30)),
      { expires_at: at(48) },
      member,
      { expiresAt: hoursFromNow(30) },
    ],
    [
      'a key caps an endless life',
      key([], hoursFromNow(1)),
      {},
      member,
      { expiresAt: hoursFromNow(1), source: 'token' },
    ],
    ['a shorter life stays', key([], hoursFromNow(30)), { expires_at: at(2) }, member, { expiresAt: hoursFromNow(2) }],
    [
      "a member's full key makes no engine key for an admin",
      key([]),
      {},
      admin,
      { scopes: [], holdsEngineScopes: false },
    ],
  ]
  test.each(cases)('%s', (_claim, creator, request, place, made) => {
    expect(planKey(creator, request, place, now)).toMatchObject({ ok: true, key: made })
  })
})

describe('what is refused', () => {
  const appToken: KeyCreator = { kind: 'sign-in', grant: { kind: 'listed', bearer: 'oauth-app', scopes: ['apps'] } }
  const workspaceKey: KeyCreator = { kind: 'key', grant: keyGrant(), scope: 'workspace', expiresAt: null }
  type Case = [claim: string, creator: KeyCreator, request: KeyRequest, place: KeyPlace, code: string, named: string]
  const cases: Case[] = [
    ['an unknown scope', browser, { scopes: ['apps:fly'] }, admin, 'validation_error', 'apps:fly'],
    ['the old pricing scope', browser, { scopes: ['admin:pricing'] }, admin, 'validation_error', 'admin:pricing'],
    [
      'a workspace key for the account',
      browser,
      { scope: 'workspace', scopes: ['user:read'] },
      admin,
      'validation_error',
      'user:read',
    ],
    ['outside the grant', login('apps:read'), { scopes: ['apps:write'] }, member, 'insufficient_scope', 'apps:write'],
    ['a word wider than the grant', login('apps:read'), { scopes: ['apps'] }, member, 'insufficient_scope', 'apps'],
    ['* from a list', login('apps'), { scopes: ['*'] }, member, 'insufficient_scope', '*'],
    ['* from a listed key', key(['apps']), { scopes: ['*'] }, member, 'insufficient_scope', '*'],
    [
      'engine scopes outside the grant',
      key([]),
      { scopes: ['engines:read'] },
      admin,
      'insufficient_scope',
      'engines:read',
    ],
    ['engine scopes by a member', browser, { scopes: ['engines:read'] }, member, 'team_role_required', 'engines:read'],
    ['a store scope elsewhere', browser, { scopes: ['store:submit'] }, admin, 'forbidden', 'store:submit'],
    ['nothing left to hand on', login('user:read', 'apikeys:write'), {}, member, 'validation_error', 'scopes'],
    ['nothing held at all', login(), {}, member, 'validation_error', 'scopes'],
    ['a workspace key by a member', browser, { scope: 'workspace' }, member, 'team_role_required', 'workspace key'],
    ['a workspace key on a personal workspace', browser, { scope: 'workspace' }, personal, 'validation_error', 'scope'],
    ['by a workspace key', workspaceKey, {}, admin, 'team_role_required', 'workspace key'],
    ['by an app token', appToken, {}, admin, 'requires_sign_in', 'app token'],
    ['by a key that has expired', key([], now), {}, admin, 'unauthorized', 'expired'],
    ['a life that is over', browser, { expires_at: at(-1) }, admin, 'validation_error', 'expires_at'],
    ['a life that ends now', browser, { expires_at: at(0) }, admin, 'validation_error', 'expires_at'],
    ['a day no month has', browser, { expires_at: '2031-02-30T00:00:00Z' }, admin, 'validation_error', 'expires_at'],
    ['no timestamp', browser, { expires_at: 'tomorrow' }, admin, 'validation_error', 'expires_at'],
    [
      'a timestamp without a zone',
      browser,
      { expires_at: '2031-01-01T00:00:00' },
      admin,
      'validation_error',
      'expires_at',
    ],
    [
      'a day that does not exist',
      browser,
      { expires_at: '2031-13-01T00:00:00Z' },
      admin,
      'validation_error',
      'expires_at',
    ],
  ]
  test.each(cases)('%s', (_claim, creator, request, place, code, named) => {
    const plan = planKey(creator, request, place, now)
    expect(plan).toMatchObject({ ok: false, code })
    if (!plan.ok) expect(plan.detail).toContain(named)
  })
  test.each(signInActions)('%s, which only a sign-in holds', (scope) => {
    expect(planKey(browser, { scopes: ['apps', scope] }, admin, now)).toMatchObject({
      ok: false,
      code: 'validation_error',
    })
  })
})

// 40,000 random cases; together with those of the contract's scope algebra, 100,000.
describe('random creators and requests', () => {
  const list = fc.array(fc.constantFrom(...everyText), { maxLength: 6 })
  const likelyList = fc.array(fc.constantFrom(...keyActions, ...engineActions, 'apps', '*', 'store:submit'), {
    maxLength: 4,
  })
  const creator: fc.Arbitrary<Credential> = fc.oneof(
    fc.constant<Credential>({ is: 'browser' }),
    list.map((scopes): Credential => ({ is: 'narrowed sign-in', scopes })),
    fc.tuple(list, fc.boolean()).map(([scopes, madeByAdmin]): Credential => ({ is: 'key', scopes, madeByAdmin })),
    list.map((scopes): Credential => ({ is: 'app token', scopes })),
  )
  const hours = fc.option(fc.integer({ min: 1, max: 100 }), { nil: null })
  const place = fc.record({ teamAdmin: fc.boolean(), personalTeam: fc.boolean(), inPlatformTeam: fc.boolean() })
  const request = fc.record(
    {
      scope: fc.constantFrom('user' as const, 'workspace' as const),
      scopes: fc.oneof(list, likelyList, likelyList),
      expires_at: fc.integer({ min: -2, max: 120 }).map(at),
    },
    { requiredKeys: [] },
  )

  const toCreator = (credential: Credential, expiryHours: number | null): KeyCreator => {
    const grant = grantOf(credential, { session: grantOfSession, key: grantOfKey })
    const expiresAt = expiryHours === null ? null : hoursFromNow(expiryHours)
    return credential.is === 'key' ? { kind: 'key', grant, scope: 'user', expiresAt } : { kind: 'sign-in', grant }
  }

  it('a created key is never wider nor longer-lived than its creator (40,000)', () => {
    let made = 0
    fc.assert(
      fc.property(creator, hours, request, place, (credential, expiryHours, asked, where) => {
        const plan = planKey(toCreator(credential, expiryHours), asked, where, now)
        if (!plan.ok) return
        made += 1
        const created: Credential = { is: 'key', scopes: plan.key.scopes, madeByAdmin: plan.key.holdsEngineScopes }
        for (const standing of staffStatuses)
          expect(modelHeld(created, standing).isSubsetOf(modelHeld(credential, standing))).toBe(true)
        const held = modelHeld(created, mostPermissive)
        expect(plan.key.scopes.filter((scope) => signInActions.includes(scope))).toEqual([])
        expect(signInActions.some((scope) => held.has(scope))).toBe(false)
        expect(!where.teamAdmin && engineActions.some((scope) => held.has(scope))).toBe(false)
        expect(!where.inPlatformTeam && held.has('store:submit')).toBe(false)
        if (plan.key.expiresAt) expect(plan.key.expiresAt > now).toBe(true)
        if (credential.is === 'key' && expiryHours !== null)
          expect((plan.key.expiresAt ?? hoursFromNow(1e6)) <= hoursFromNow(expiryHours)).toBe(true)
      }),
      { numRuns: 40_000 },
    )
    // A rule that refuses everything would pass the checks above.
    expect(made).toBeGreaterThan(4_000)
  })
})
