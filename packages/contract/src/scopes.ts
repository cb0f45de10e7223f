// The grants of credentials and their derivation. A grant is a plain value that is stored with a run and queried with
// `holds`. The caller's position (platform administrator, platform workspace) is separate from the grant.
import {
  allScopes,
  engineScopes,
  isAdminScope,
  isEngineScope,
  isSignInOnly,
  isStoreScope,
  resourceOf,
  type Scope,
  storeScopes,
} from './scope-catalog.ts'

export * from './scope-catalog.ts'

/** The presenter of the scopes: a person's own sign-in, a key (or a run, or an embedded frame), or an app's OAuth token. */
export type Bearer = 'sign-in' | 'key' | 'oauth-app'

/** `key`: the key it comes from, passed on to what its runs start, so that the key's budget includes them. */
export type Grant =
  /** An unrestricted sign-in. `engine: false`: of a person who may not grant engine scopes to a key. */
  | { readonly kind: 'everything'; readonly engine?: false; readonly key?: never }
  /** Every scope that is not sign-in-only. Keys with an empty list never have `store`; runs of a sign-in do. */
  | { readonly kind: 'all-key-scopes'; readonly engine: boolean; readonly store: boolean; readonly key?: string }
  | { readonly kind: 'listed'; readonly bearer: Bearer; readonly scopes: readonly string[]; readonly key?: string }

/** Staff without active platform rights, with the error code for each reason. */
type PowerMissing = 'admin_session_required' | 'admin_authenticator_required' | 'otp_required'

/** The position of the caller. An actor of the server satisfies this type. */
export type StaffStatus = {
  readonly platform: 'powered' | 'not_staff' | PowerMissing
  /** Acts in the platform's own workspace as a member. */
  readonly inPlatformTeam: boolean
  /** Staff viewing a workspace through an impersonation grant. */
  readonly impersonating?: boolean
}

export const ordinaryStaffStatus: StaffStatus = { platform: 'not_staff', inPlatformTeam: false }

/**
 * `null` is an unrestricted sign-in; a list is exactly what was approved. Engine scopes need a role that may grant them
 * to keys, which a plain member does not have.
 */
export const grantOfSession = (scopes: readonly string[] | null, holdsEngineScopes = true): Grant => {
  if (scopes === null || scopes.includes('*'))
    return holdsEngineScopes ? { kind: 'everything' } : { kind: 'everything', engine: false }
  const held = holdsEngineScopes ? scopes : scopes.filter((scope) => scope !== runEngines)
  return { kind: 'listed', bearer: 'sign-in', scopes: held }
}

const runEngines: Scope = 'engines:write'

/** An empty list means every scope that a key can have; `*` means the same and may be combined with store scopes. */
export const grantOfKey = (key: { scopes: readonly string[]; holdsEngineScopes: boolean; id?: string }): Grant => {
  const { scopes, holdsEngineScopes } = key
  const from = key.id === undefined ? {} : { key: key.id }
  const full = scopes.length === 0 || scopes.includes('*')
  if (!full) return { kind: 'listed', bearer: 'key', scopes, ...from }
  if (!scopes.some((scope) => isStoreScope(scope) || isEngineScope(scope)))
    return { kind: 'all-key-scopes', engine: holdsEngineScopes, store: false, ...from }
  return { kind: 'listed', bearer: 'key', scopes: holdsEngineScopes ? [...scopes, ...engineScopes] : scopes, ...from }
}

/** The grant without engine scopes, for a person who may no longer manage engines. */
export const withoutEngines = (grant: Grant): Grant => {
  if (grant.kind === 'everything') return { kind: 'everything', engine: false }
  if (grant.kind === 'all-key-scopes') return { ...grant, engine: false }
  return { ...grant, scopes: grant.scopes.filter((scope) => scope !== runEngines) }
}

const aliases: Partial<Record<Scope, Scope>> = {
  'integrations:read': 'credentials:read',
  'integrations:write': 'credentials:write',
  'credentials:read': 'integrations:read',
  'credentials:write': 'integrations:write',
}

const listNames = (bearer: Bearer, scopes: readonly string[], scope: Scope): boolean => {
  const isOwnSignIn = bearer === 'sign-in'
  if (isSignInOnly(scope) && !isOwnSignIn) return false
  if (scope === 'secrets:reveal' && bearer === 'oauth-app') return false
  if (isStoreScope(scope) && bearer === 'oauth-app') return false
  if (scopes.includes(scope)) return true
  if (isStoreScope(scope)) return isOwnSignIn && (scopes.includes('*') || scopes.includes('admin:write'))
  if (isEngineScope(scope)) return isOwnSignIn && scopes.includes('*')
  if (scopes.includes('*') || scopes.includes(resourceOf(scope))) return true
  if (scope === 'secrets:reveal') return scopes.includes('secrets:read')
  const alias = aliases[scope]
  return alias !== undefined && (scopes.includes(alias) || scopes.includes(resourceOf(alias)))
}

/** True if the grant includes the scope, regardless of the caller's position. */
const names = (grant: Grant, scope: Scope): boolean => {
  if (grant.kind === 'everything') return grant.engine !== false || scope !== runEngines
  if (grant.kind === 'listed') return listNames(grant.bearer, grant.scopes, scope)
  if (isSignInOnly(scope)) return false
  if (isEngineScope(scope)) return grant.engine
  return isStoreScope(scope) ? grant.store : true
}

const staffStatusAllows = (scope: Scope, staffStatus: StaffStatus): boolean => {
  if (isAdminScope(scope)) return staffStatus.platform === 'powered'
  if (isSignInOnly(scope)) return staffStatus.impersonating !== true
  if (isStoreScope(scope)) return staffStatus.inPlatformTeam || staffStatus.platform === 'powered'
  return true
}

/** The scope check of every operation. */
export const holds = (grant: Grant, scope: Scope, staffStatus: StaffStatus = ordinaryStaffStatus): boolean =>
  names(grant, scope) && staffStatusAllows(scope, staffStatus)

/** The action scopes of a grant, in the order of the catalog. */
export const expand = (grant: Grant, staffStatus: StaffStatus = ordinaryStaffStatus): Scope[] =>
  allScopes.filter((scope) => holds(grant, scope, staffStatus))

export const isWithin = (child: Grant, parent: Grant): boolean =>
  allScopes.every((scope) => !names(child, scope) || names(parent, scope))

const bearerOf = (grant: Grant): Bearer => {
  if (grant.kind === 'listed') return grant.bearer
  return grant.kind === 'everything' ? 'sign-in' : 'key'
}

const trust: Record<Bearer, number> = { 'oauth-app': 0, key: 1, 'sign-in': 2 }

/**
 * The intersection of two grants, for a child that requests `child` under `parent`. The less trusted bearer of the two
 * is used, so that its exclusions remain.
 */
export const narrow = (parent: Grant, child: Grant): Grant => {
  if (isWithin(child, parent)) return child
  if (isWithin(parent, child)) return parent
  const [a, b] = [bearerOf(parent), bearerOf(child)]
  return {
    kind: 'listed',
    bearer: trust[a] < trust[b] ? a : b,
    scopes: allScopes.filter((scope) => names(parent, scope) && names(child, scope)),
  }
}

/**
 * The grant that a run, flow or trigger records when this credential starts it. Sign-in-only scopes are removed: they
 * need the person, and a run with `approvals:write` could approve itself.
 */
export const runAs = (starter: Grant): Grant => {
  if (starter.kind === 'everything') return { kind: 'all-key-scopes', engine: starter.engine !== false, store: true }
  if (starter.kind === 'all-key-scopes' || starter.bearer !== 'sign-in') return starter
  if (starter.scopes.includes('*')) return { kind: 'all-key-scopes', engine: true, store: true }
  const kept = starter.scopes.filter((scope) => !isSignInOnly(scope))
  const store = storeScopes.filter((scope) => names(starter, scope))
  return { kind: 'listed', bearer: 'key', scopes: [...new Set([...kept, ...store])] }
}

export type ScopeRefusal = {
  readonly code: 'requires_sign_in' | 'insufficient_scope' | 'forbidden' | PowerMissing
  readonly detail: string
}

/** The code and detail with which a scope is refused; null if it is granted. */
export const refuseScope = (
  grant: Grant,
  scope: Scope,
  staffStatus: StaffStatus = ordinaryStaffStatus,
): ScopeRefusal | null => {
  if (holds(grant, scope, staffStatus)) return null
  if (isSignInOnly(scope) && bearerOf(grant) !== 'sign-in')
    return { code: 'requires_sign_in', detail: `${scope} needs a signed-in person` }
  const { platform } = staffStatus
  if (!isAdminScope(scope) || platform === 'powered')
    return { code: 'insufficient_scope', detail: `missing scope: ${scope}` }
  if (platform === 'not_staff')
    return { code: 'forbidden', detail: 'Platform administration is only for platform staff' }
  return { code: platform, detail: `${scope} needs an active platform administrator session` }
}
