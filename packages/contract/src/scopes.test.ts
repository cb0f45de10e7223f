// Guarantees: a credential has exactly the scopes that [access 2] gives it; what is derived from a credential (a child,
// a run) never has more; and the catalog offers only scopes that the viewer may use.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  allScopes,
  canBePublicRead,
  expand,
  type Grant,
  grantOfKey,
  grantOfSession,
  holds,
  isKnownScope,
  isScope,
  isSignInOnly,
  isWithin,
  narrow,
  ordinaryStaffStatus,
  refuseScope,
  runAs,
  type Scope,
  type StaffStatus,
  scopeCatalogFor,
  storeScopes,
} from './scopes.ts'
import {
  type Credential,
  engineActions,
  everyAction,
  everyText,
  grantOf,
  keyActions,
  modelHeld,
  mostPermissive,
  resourceWords,
  signInActions,
  staffStatuses,
  storeActions,
} from './testing/scope-model.ts'

const key = (...scopes: string[]): Grant => grantOfKey({ scopes, holdsEngineScopes: false })
const adminKey = (...scopes: string[]): Grant => grantOfKey({ scopes, holdsEngineScopes: true })
const signIn = (...scopes: string[]): Grant => grantOfSession(scopes)
const appToken = (...scopes: string[]): Grant => ({ kind: 'listed', bearer: 'oauth-app', scopes })
const browser = grantOfSession(null)

const inPlatform: StaffStatus = { platform: 'not_staff', inPlatformTeam: true }
const powered: StaffStatus = { platform: 'powered', inPlatformTeam: false }

describe('holds', () => {
  const cases: [claim: string, grant: Grant, scope: Scope, staffStatus: StaffStatus, held: boolean][] = [
    ['an action grants itself', key('apps:read'), 'apps:read', ordinaryStaffStatus, true],
    ['an action grants no other', key('apps:read'), 'apps:write', ordinaryStaffStatus, false],
    ['a resource scope grants every action', key('agents'), 'agents:execute', ordinaryStaffStatus, true],
    ['a resource scope is limited to its resource', key('agents'), 'apps:read', ordinaryStaffStatus, false],
    ['so is that of an alias', key('credentials'), 'integrations:write', ordinaryStaffStatus, true],
    ['templates grants nothing', key('templates'), 'apps:read', ordinaryStaffStatus, false],
    ['* on a key is full access', key('*'), 'flows:write', ordinaryStaffStatus, true],
    ['* on a key has no sign-in-only scope', key('*'), 'user:read', ordinaryStaffStatus, false],
    ['* on a sign-in is full access', signIn('*'), 'user:read', ordinaryStaffStatus, true],
    ['an empty list is every key scope', key(), 'secrets:write', ordinaryStaffStatus, true],
    ['an empty list has no sign-in-only scope', key(), 'apikeys:write', ordinaryStaffStatus, false],
    ['a key listing a sign-in-only scope does not have it', key('approvals:write'), 'approvals:write', powered, false],
    [
      'a resource scope does not include a sign-in-only scope',
      key('billing'),
      'billing:write',
      ordinaryStaffStatus,
      false,
    ],
    ['the resource scope still grants the rest', key('billing'), 'billing:read', ordinaryStaffStatus, true],
    ['a narrowed sign-in has the listed scopes', signIn('user:read'), 'user:read', ordinaryStaffStatus, true],
    ['a narrowed sign-in has nothing else', signIn('apps'), 'user:read', ordinaryStaffStatus, false],
    ['a sign-in narrowed to nothing has nothing', signIn(), 'apps:read', ordinaryStaffStatus, false],
    ['a browser has its account', browser, 'apikeys:write', ordinaryStaffStatus, true],
    ['reading secrets implies using them', key('secrets:read'), 'secrets:reveal', ordinaryStaffStatus, true],
    ['the scope to use them can be granted alone', key('secrets:reveal'), 'secrets:reveal', ordinaryStaffStatus, true],
    ['using them does not imply reading', key('secrets:reveal'), 'secrets:read', ordinaryStaffStatus, false],
    ['an app token never uses secrets', appToken('secrets:read', 'secrets:reveal'), 'secrets:reveal', powered, false],
    ['integrations grants credentials', key('integrations:read'), 'credentials:read', ordinaryStaffStatus, true],
    ['credentials grants integrations', key('credentials:write'), 'integrations:write', ordinaryStaffStatus, true],
    ['read is not an alias of write', key('credentials:read'), 'integrations:write', ordinaryStaffStatus, false],
    ["a member's full key has no engine scopes", key(), 'engines:write', ordinaryStaffStatus, false],
    ["an admin's full key has engine scopes", adminKey(), 'engines:write', ordinaryStaffStatus, true],
    ["an admin's listed key has only its list", adminKey('apps'), 'engines:write', ordinaryStaffStatus, false],
    ['engine scopes can be listed', key('engines:read'), 'engines:read', ordinaryStaffStatus, true],
    ['a store scope needs the platform workspace', key('store:submit'), 'store:submit', ordinaryStaffStatus, false],
    ['a listed store scope is granted there', key('store:submit'), 'store:submit', inPlatform, true],
    ['a full key has no store scope there', adminKey(), 'store:submit', inPlatform, false],
    ['a full key may list one in addition', adminKey('*', 'store:submit'), 'store:submit', inPlatform, true],
    ['and is still full', adminKey('*', 'store:submit'), 'engines:read', inPlatform, true],
    ['an app token never has store scopes', appToken('store:submit'), 'store:submit', inPlatform, false],
    ['a member sign-in has store scopes there', browser, 'store:pricing', inPlatform, true],
    ['and not elsewhere', browser, 'store:pricing', ordinaryStaffStatus, false],
    ['staff with platform rights have them anywhere', browser, 'store:pricing', powered, true],
    ['admin:write includes the store scopes', signIn('admin:write'), 'store:pricing', powered, true],
    ['admin scopes need platform rights', browser, 'admin:read', ordinaryStaffStatus, false],
    ['platform rights grant them to a browser', browser, 'admin:read', powered, true],
    ['platform rights add nothing to a list', signIn('apps'), 'admin:read', powered, false],
    ['impersonation hides the account', browser, 'user:read', { ...powered, impersonating: true }, false],
    ['impersonation keeps admin', browser, 'admin:read', { ...powered, impersonating: true }, true],
  ]
  test.each(cases)('%s', (_claim, grant, scope, staffStatus, held) => {
    expect(holds(grant, scope, staffStatus)).toBe(held)
  })
})

describe('refuseScope', () => {
  const staff = (platform: StaffStatus['platform']): StaffStatus => ({ platform, inPlatformTeam: false })
  const cases: [claim: string, grant: Grant, scope: Scope, staffStatus: StaffStatus, code: string | undefined][] = [
    ['held', key('apps'), 'apps:read', ordinaryStaffStatus, undefined],
    ['a key without the scope', key('apps'), 'flows:read', ordinaryStaffStatus, 'insufficient_scope'],
    ['a full key for a sign-in-only scope', key(), 'user:read', ordinaryStaffStatus, 'requires_sign_in'],
    ['a key that lists it', key('user:read'), 'user:read', ordinaryStaffStatus, 'requires_sign_in'],
    ['an app token that lists it', appToken('user:read'), 'user:read', ordinaryStaffStatus, 'requires_sign_in'],
    ['a key for an admin scope', key('admin:read'), 'admin:read', powered, 'requires_sign_in'],
    ['a narrowed sign-in', signIn('apps'), 'user:read', ordinaryStaffStatus, 'insufficient_scope'],
    ['not staff', browser, 'admin:read', ordinaryStaffStatus, 'forbidden'],
    ['no admin session', browser, 'admin:read', staff('admin_session_required'), 'admin_session_required'],
    ['no authenticator', browser, 'admin:read', staff('admin_authenticator_required'), 'admin_authenticator_required'],
    ['not confirmed yet', browser, 'admin:read', staff('otp_required'), 'otp_required'],
    ['platform rights without the scope', signIn('admin:read'), 'admin:write', powered, 'insufficient_scope'],
    ['a store scope elsewhere', key('store:submit'), 'store:submit', ordinaryStaffStatus, 'insufficient_scope'],
  ]
  test.each(cases)('%s', (_claim, grant, scope, staffStatus, code) => {
    const refusal = refuseScope(grant, scope, staffStatus)
    expect(refusal?.code).toBe(code)
    if (code === 'insufficient_scope') expect(refusal?.detail).toContain(scope)
  })
})

describe('runAs', () => {
  it('removes the sign-in-only scopes', () => {
    const run = runAs(signIn('apps:execute', 'approvals:write', 'billing', 'admin:write'))
    expect(expand(run, mostPermissive)).toEqual(['apps:execute', 'billing:read', 'store:pricing', 'store:submit'])
    // The stored row must show the same.
    expect(run).toMatchObject({ scopes: ['apps:execute', 'billing', 'store:pricing', 'store:submit'] })
  })
  it('retains all other scopes of an unrestricted sign-in', () => {
    expect(expand(runAs(browser), mostPermissive).toSorted()).toEqual(
      [...keyActions, ...engineActions, ...storeActions].toSorted(),
    )
  })
  it('is a plain value that survives storage', () => {
    const run = runAs(key('apps:execute', 'secrets:read'))
    expect(expand(JSON.parse(JSON.stringify(run)))).toEqual(expand(run))
  })
})

describe('vocabulary', () => {
  it('has exactly the documented scopes', () => {
    expect(allScopes.toSorted()).toEqual(everyAction.toSorted())
    expect(allScopes.filter(isSignInOnly).toSorted()).toEqual(signInActions.toSorted())
  })
  it('accepts only scopes, resource scopes and *', () => {
    for (const text of everyText) expect(isKnownScope(text)).toBe(true)
    for (const text of [...resourceWords, '*']) expect(isScope(text)).toBe(false)
    for (const text of ['', 'apps:', 'apps:fly', 'admin:pricing', 'user', 'knowledge:*', 'constructor'])
      expect(isKnownScope(text)).toBe(false)
  })
  it('returns public rows exactly for resources that can be public', () => {
    const open = 'agents apps artifacts conversations credentials engines files flows knowledge'.split(' ')
    expect(allScopes.filter(canBePublicRead).toSorted()).toEqual(open.map((resource) => `${resource}:read`))
  })
})

describe('scopeCatalogFor', () => {
  const guest = scopeCatalogFor({ engineScopes: false, storeScopes: [], staff: false })
  const full = scopeCatalogFor({ engineScopes: true, storeScopes, staff: true })
  const values = (rows: { value: string }[]) => rows.map((row) => row.value)
  const preset = (id: string) => full.presets.find((candidate) => candidate.id === id)?.scopes ?? []

  it('shows everyone the scopes that a key can have, and the account scopes separately', () => {
    expect(values(guest.scopes).toSorted()).toEqual(keyActions.toSorted())
    expect(values(guest.account_scopes).toSorted()).toEqual(
      signInActions.filter((scope) => !scope.startsWith('admin:')).toSorted(),
    )
  })
  it.each([
    [{ engineScopes: true }, engineActions, 'scopes'],
    [{ storeScopes }, storeActions, 'scopes'],
    [{ storeScopes: ['store:submit'] }, ['store:submit'], 'scopes'],
    [{ staff: true }, ['admin:read', 'admin:write'], 'account_scopes'],
  ] as const)('%j adds only its rows', (entitlement, added, where) => {
    const seen = values(scopeCatalogFor({ engineScopes: false, storeScopes: [], staff: false, ...entitlement })[where])
    expect(seen.filter((value) => !values(guest[where]).includes(value)).toSorted()).toEqual([...added].toSorted())
  })
  it('every row has its group, every group a row', () => {
    for (const [rows, groups] of [
      [full.scopes, full.groups],
      [full.account_scopes, full.account_groups],
      [guest.scopes, guest.groups],
    ] as const)
      expect(new Set(groups.map((group) => group.id))).toEqual(new Set(rows.map((row) => row.group)))
  })
  it('marks the groups whose public rows stay readable', () => {
    const marked = full.groups.filter((group) => group.public_rows).map((group) => `${group.id}:read`)
    expect(marked.toSorted()).toEqual(allScopes.filter(canBePublicRead).toSorted())
  })
  it('offers the documented presets', () => {
    expect(preset('standard').toSorted()).toEqual(keyActions.filter((scope) => scope !== 'secrets:reveal').toSorted())
    expect(preset('run-only').toSorted()).toEqual(
      'agents:execute agents:read apps:execute apps:read conversations:read conversations:write files:write'.split(' '),
    )
    expect(preset('read')).toHaveLength(12)
    expect(preset('read').every((scope) => /^(?!secrets|billing|apikeys)\w+:read$/.test(scope))).toBe(true)
    expect(preset('engine')).toEqual(['engines:read', 'engines:write', 'apps:execute'])
    expect(guest.presets.map((candidate) => candidate.id)).toEqual(['standard', 'run-only', 'read'])
    for (const candidate of full.presets) expect(candidate.summary.length).toBeGreaterThan(0)
  })
  it('starts the login page at standard plus approvals', () => {
    expect(guest.login_preset).toBe('standard')
    expect(guest.grants).toEqual([...preset('standard'), 'approvals:write'])
  })
})

// 60,000 random cases here; the other 40,000 are keys, in the tests of the server's key rules.
describe('random scope sets', () => {
  const list = fc.array(fc.constantFrom(...everyText), { maxLength: 8 })
  const credential: fc.Arbitrary<Credential> = fc.oneof(
    { weight: 1, arbitrary: fc.constant<Credential>({ is: 'browser' }) },
    { weight: 4, arbitrary: list.map((scopes): Credential => ({ is: 'narrowed sign-in', scopes })) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(list, fc.boolean())
        .map(([scopes, madeByAdmin]): Credential => ({ is: 'key', scopes, madeByAdmin })),
    },
    { weight: 2, arbitrary: list.map((scopes): Credential => ({ is: 'app token', scopes })) },
  )
  const staffStatus = fc.constantFrom(...staffStatuses)
  const toGrant = (one: Credential) => grantOf(one, { session: grantOfSession, key: grantOfKey })

  it('a credential has what the model says (20,000)', () => {
    fc.assert(
      fc.property(credential, staffStatus, (one, at) => {
        expect(new Set<string>(expand(toGrant(one), at))).toEqual(modelHeld(one, at))
      }),
      { numRuns: 20_000 },
    )
  })

  it('a child has exactly the requested scopes that its parent has (20,000)', () => {
    fc.assert(
      fc.property(credential, credential, staffStatus, (parent, child, at) => {
        const narrowed = narrow(toGrant(parent), toGrant(child))
        const both = modelHeld(parent, at).intersection(modelHeld(child, at))
        expect(new Set<string>(expand(narrowed, at))).toEqual(both)
        const childNamed = modelHeld(child, mostPermissive)
        expect(isWithin(toGrant(child), toGrant(parent))).toBe(childNamed.isSubsetOf(modelHeld(parent, mostPermissive)))
      }),
      { numRuns: 20_000 },
    )
  })

  it('a run and its descendants never exceed the starter and never have a sign-in-only scope (20,000)', () => {
    fc.assert(
      fc.property(credential, fc.array(credential, { maxLength: 3 }), staffStatus, (starter, steps, at) => {
        const limit = modelHeld(starter, at)
        let run = runAs(toGrant(starter))
        expect(new Set<string>(expand(run, at))).toEqual(limit.difference(new Set(signInActions)))
        for (const step of steps) {
          const before = new Set<string>(expand(run, at))
          run = narrow(run, toGrant(step))
          expect(new Set<string>(expand(run, at)).isSubsetOf(before)).toBe(true)
        }
      }),
      { numRuns: 20_000 },
    )
  })
})
