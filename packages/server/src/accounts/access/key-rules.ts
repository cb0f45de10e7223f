// Decides which scopes, lifetime and kind a new key may have for its creator. Pure; the service stores the result or
// throws the refusal. Whether a key may call POST /apikeys is decided earlier by the operation's scope; the rules for
// creators that are keys apply to the other operations that create keys.
import type { ErrorCode } from '@millrace/contract/errors'
import {
  engineScopes,
  type Grant,
  grantOfKey,
  holds,
  isEngineScope,
  isKnownScope,
  isSignInOnly,
  isStoreScope,
  isWithin,
} from '@millrace/contract/scopes'
import { isCalendarDay } from '#platform/core/times.ts'

export const temporaryKeyMaxMs = 24 * 60 * 60 * 1000

export type KeyScope = 'user' | 'workspace'

export type KeyCreator =
  /** A browser or session token. Its lifetime does not limit the keys it creates. */
  | { readonly kind: 'sign-in'; readonly grant: Grant }
  | { readonly kind: 'key'; readonly grant: Grant; readonly scope: KeyScope; readonly expiresAt: Date | null }

export type KeyRequest = {
  readonly scope?: KeyScope
  readonly scopes?: readonly string[]
  readonly expires_at?: string
}

export type KeyPlace = {
  readonly teamAdmin: boolean
  readonly personalTeam: boolean
  /** The workspace is the platform's own, and the creator is a member. */
  readonly inPlatformTeam: boolean
}

export type PlannedKey = {
  readonly scope: KeyScope
  /** As stored; empty means every scope that a key can have. */
  readonly scopes: readonly string[]
  readonly holdsEngineScopes: boolean
  readonly expiresAt: Date | null
  readonly source: '' | 'token'
}

export type KeyRefusal = { readonly ok: false; readonly code: ErrorCode; readonly detail: string }
export type KeyPlan = { readonly ok: true; readonly key: PlannedKey } | KeyRefusal

const refuse = (code: ErrorCode, detail: string): KeyRefusal => ({ ok: false, code, detail })

const isRefusal = (value: unknown): value is KeyRefusal =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false

const refuseCreator = (creator: KeyCreator, scope: KeyScope, place: KeyPlace, now: Date): KeyRefusal | null => {
  if (creator.grant.kind === 'listed' && creator.grant.bearer === 'oauth-app')
    return refuse('requires_sign_in', 'An app token cannot create keys')
  if (creator.kind === 'key' && creator.scope === 'workspace')
    return refuse('team_role_required', 'A workspace key cannot create keys')
  if (creator.kind === 'key' && creator.expiresAt !== null && creator.expiresAt <= now)
    return refuse('unauthorized', 'The creating key has expired')
  if (scope === 'workspace' && place.personalTeam)
    return refuse('validation_error', '`scope`: a personal workspace has no workspace keys')
  if (scope === 'workspace' && !place.teamAdmin)
    return refuse('team_role_required', 'A workspace key needs a workspace owner or admin')
  return null
}

// RFC 3339 requires an offset; without one, the time would use the server's time zone.
const timestampPattern = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

const expiryOf = (creator: KeyCreator, requested: string | undefined, now: Date): Date | null | KeyRefusal => {
  const cap = creator.kind === 'key' ? creator.expiresAt : null
  if (requested === undefined || requested === '') return cap
  const parsed = new Date(
    timestampPattern.test(requested) && isCalendarDay(requested.slice(0, 10)) ? requested : Number.NaN,
  )
  if (Number.isNaN(parsed.getTime())) return refuse('validation_error', '`expires_at` must be an ISO timestamp')
  if (parsed <= now) return refuse('validation_error', '`expires_at` must be in the future')
  return cap !== null && cap < parsed ? cap : parsed
}

const isFull = (scopes: readonly string[]): boolean => scopes.length === 0 || scopes.includes('*')

const asKey = (scopes: readonly string[]): Grant => grantOfKey({ scopes, holdsEngineScopes: false })

/** Why a scope cannot be granted to a key here, for any creator. */
const refusePlacement = (scope: string, place: KeyPlace): KeyRefusal | null => {
  if (!isKnownScope(scope)) return refuse('validation_error', `\`scopes\`: unknown scope ${scope.slice(0, 64)}`)
  if (isSignInOnly(scope)) return refuse('validation_error', `\`scopes\`: ${scope} cannot be granted to a key`)
  if (isStoreScope(scope) && !place.inPlatformTeam)
    return refuse('forbidden', `The scope ${scope} exists only in the platform workspace`)
  if (isEngineScope(scope) && !place.teamAdmin)
    return refuse('team_role_required', `Only workspace owners and admins can grant the scope ${scope}`)
  return null
}

const requestedScopes = (
  creator: KeyCreator,
  requested: readonly string[],
  place: KeyPlace,
): readonly string[] | KeyRefusal => {
  for (const scope of requested) {
    const refusal = refusePlacement(scope, place)
    if (refusal) return refusal
  }
  const outside = requested.find((scope) => !isWithin(asKey([scope]), creator.grant))
  return outside === undefined ? requested : refuse('insufficient_scope', `missing scope: ${outside}`)
}

/** Without requested scopes, a key gets the creator's scopes that a key can have. */
const inheritedScopes = (creator: KeyCreator, place: KeyPlace): readonly string[] | KeyRefusal => {
  const { grant } = creator
  if (grant.kind !== 'listed') return []
  const grantable = grant.scopes.filter((scope) => refusePlacement(scope, place) === null)
  // An empty list would mean all scopes.
  return grantable.length > 0
    ? grantable
    : refuse('validation_error', '`scopes`: none of your scopes can be granted to a key')
}

/** The key to store, or the refusal. */
export const planKey = (creator: KeyCreator, request: KeyRequest, place: KeyPlace, now: Date): KeyPlan => {
  const scope = request.scope ?? 'user'
  const refusal = refuseCreator(creator, scope, place, now)
  if (refusal) return refusal

  const expiresAt = expiryOf(creator, request.expires_at, now)
  if (isRefusal(expiresAt)) return expiresAt

  const parsed = [...new Set(request.scopes ?? [])]
  const scopes = parsed.length > 0 ? requestedScopes(creator, parsed, place) : inheritedScopes(creator, place)
  if (isRefusal(scopes)) return scopes

  const holdsEngineScopes =
    isFull(scopes) && place.teamAdmin && engineScopes.every((engineScope) => holds(creator.grant, engineScope))
  const temporary = scope === 'user' && expiresAt !== null && expiresAt.getTime() - now.getTime() <= temporaryKeyMaxMs
  return { ok: true, key: { scope, scopes, holdsEngineScopes, expiresAt, source: temporary ? 'token' : '' } }
}
