// What a credential holds, and what may be derived from it. A grant is a plain value: it is stored with a run as it is,
// and asked with `holds`. Where the caller stands (platform power, platform workspace) is told apart from what it names.
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

/** Whose hands hold the list: a person's own sign-in, a key (or a run, or a frame), or an app's OAuth token. */
export type Bearer = 'sign-in' | 'key' | 'oauth-app'

/** `key`: the key it comes from; it goes along with what its runs start, so that a key's budget counts them too. */
export type Grant =
  /** A sign-in that nobody narrowed. `engine: false`: of someone who could not put engine scopes on a key either. */
  | { readonly kind: 'everything'; readonly engine?: false; readonly key?: never }
  /** Every scope that is not sign-in-only. Keys with an empty list never have `store`; runs of a sign-in do. */
  | { readonly kind: 'all-key-scopes'; readonly engine: boolean; readonly store: boolean; readonly key?: string }
  | { readonly kind: 'listed'; readonly bearer: Bearer; readonly scopes: readonly string[]; readonly key?: string }

/** Staff whose sign-in does not carry platform power, each with the code it is refused with. */
type PowerMissing = 'admin_session_required' | 'admin_authenticator_required' | 'otp_required'

/** Where the caller stands. An actor of the server fits this shape. */
export type Standing = {
  readonly platform: 'powered' | 'not_staff' | PowerMissing
  /** Acting in the platform's own workspace as a member of it. */
  readonly inPlatformTeam: boolean
  /** Staff that looks at a workspace through an impersonation grant. */
  readonly impersonating?: boolean
}

export const ordinaryStanding: Standing = { platform: 'not_staff', inPlatformTeam: false }

/**
 * `null` is a sign-in nobody narrowed; a list is exactly what was approved. Running engines is for those who may put that
 * scope on a key: the sign-in of a plain member does not hold it.
 */
export const grantOfSession = (scopes: readonly string[] | null, holdsEngineScopes = true): Grant => {
  if (scopes === null || scopes.includes('*'))
    return holdsEngineScopes ? { kind: 'everything' } : { kind: 'everything', engine: false }
  const held = holdsEngineScopes ? scopes : scopes.filter((scope) => scope !== runEngines)
  return { kind: 'listed', bearer: 'sign-in', scopes: held }
}

const runEngines: Scope = 'engines:write'

/** An empty list is every scope a key can hold; `*` says the same and may be joined by store scopes. */
export const grantOfKey = (key: { scopes: readonly string[]; holdsEngineScopes: boolean; id?: string }): Grant => {
  const { scopes, holdsEngineScopes } = key
  const from = key.id === undefined ? {} : { key: key.id }
  const full = scopes.length === 0 || scopes.includes('*')
  if (!full) return { kind: 'listed', bearer: 'key', scopes, ...from }
  if (!scopes.some((scope) => isStoreScope(scope) || isEngineScope(scope)))
    return { kind: 'all-key-scopes', engine: holdsEngineScopes, store: false, ...from }
  return { kind: 'listed', bearer: 'key', scopes: holdsEngineScopes ? [...scopes, ...engineScopes] : scopes, ...from }
}

/** What is left of a grant for somebody who may not run engines, whatever was written down when they might. */
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

/** What the grant says, wherever its bearer stands. */
const names = (grant: Grant, scope: Scope): boolean => {
  if (grant.kind === 'everything') return grant.engine !== false || scope !== runEngines
  if (grant.kind === 'listed') return listNames(grant.bearer, grant.scopes, scope)
  if (isSignInOnly(scope)) return false
  if (isEngineScope(scope)) return grant.engine
  return isStoreScope(scope) ? grant.store : true
}

const standingAllows = (scope: Scope, standing: Standing): boolean => {
  if (isAdminScope(scope)) return standing.platform === 'powered'
  if (isSignInOnly(scope)) return standing.impersonating !== true
  if (isStoreScope(scope)) return standing.inPlatformTeam || standing.platform === 'powered'
  return true
}

/** The one question every door asks. */
export const holds = (grant: Grant, scope: Scope, standing: Standing = ordinaryStanding): boolean =>
  names(grant, scope) && standingAllows(scope, standing)

/** The action scopes a grant holds, in the order of the catalogue. */
export const expand = (grant: Grant, standing: Standing = ordinaryStanding): Scope[] =>
  allScopes.filter((scope) => holds(grant, scope, standing))

export const isWithin = (child: Grant, parent: Grant): boolean =>
  allScopes.every((scope) => !names(child, scope) || names(parent, scope))

const bearerOf = (grant: Grant): Bearer => {
  if (grant.kind === 'listed') return grant.bearer
  return grant.kind === 'everything' ? 'sign-in' : 'key'
}

const trust: Record<Bearer, number> = { 'oauth-app': 0, key: 1, 'sign-in': 2 }

/**
 * What a child may do that asks for `child` under `parent`: what both hold, never more than either.
 * The less trusted bearer of the two is kept, so that its exclusions survive.
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
 * The grant that a run, flow or trigger records when this credential starts it. Sign-in-only scopes stay behind: they
 * belong to the person at the keyboard, and a run that held `approvals:write` could approve itself.
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

/** Why a caller may not use a scope, in the words of the wire; null when it may. */
export const refuseScope = (grant: Grant, scope: Scope, standing: Standing = ordinaryStanding): ScopeRefusal | null => {
  if (holds(grant, scope, standing)) return null
  if (isSignInOnly(scope) && bearerOf(grant) !== 'sign-in')
    return { code: 'requires_sign_in', detail: `${scope} is held only by your own sign-in` }
  const { platform } = standing
  if (!isAdminScope(scope) || platform === 'powered')
    return { code: 'insufficient_scope', detail: `missing scope: ${scope}` }
  if (platform === 'not_staff') return { code: 'forbidden', detail: 'platform administration is for platform staff' }
  return { code: platform, detail: `${scope} is held only while the sign-in carries platform power` }
}
