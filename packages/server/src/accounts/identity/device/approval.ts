// Decides the scopes and lifetime of a device credential. Pure; the service stores the result or throws the refusal. A
// session follows the rules of sign-ins, a legacy key the rules of keys.
import type { ErrorCode } from '@millrace/contract/errors'
import {
  type Grant,
  grantOfSession,
  isAdminScope,
  isKnownScope,
  isScope,
  isWithin,
  refuseScope,
} from '@millrace/contract/scopes'
import type { PlatformStatus, TeamRole } from '#platform/core/actor.ts'
import { planKey } from '../../access/service.ts'
import { sessionSecondsDefault, sessionSecondsMax } from '../sessions/sessions.ts'

export type Approver = { readonly grant: Grant; readonly platform: PlatformStatus }

/** The selected workspace and the approver's role in it. */
export type ApprovalTarget = { readonly role: TeamRole; readonly personal: boolean; readonly isPlatform: boolean }

export type PlannedApproval = {
  /** As stored: null, or an empty list for a key, means full access. */
  readonly scopes: readonly string[] | null
  readonly elevated: boolean
}

export type ApprovalRefusal = { readonly refused: ErrorCode; readonly detail: string }

const refuse = (refused: ErrorCode, detail: string): ApprovalRefusal => ({ refused, detail })

export const lifetimeOf = (expiresInSeconds: number | undefined): number =>
  Math.min(expiresInSeconds ?? sessionSecondsDefault, sessionSecondsMax)

/** Full access means the approver's own scopes: a restricted browser session grants no more than it has. */
const ownScopes = ({ grant }: Approver): readonly string[] | null => (grant.kind === 'listed' ? grant.scopes : null)

const refuseOne = (approver: Approver, scope: string, place: ApprovalTarget): ApprovalRefusal | null => {
  if (!isKnownScope(scope)) return refuse('validation_error', `\`scopes\`: unknown scope ${scope}`)
  if (!isScope(scope))
    return isWithin(grantOfSession([scope]), approver.grant)
      ? null
      : refuse('insufficient_scope', `missing scope: ${scope}`)
  const refusal = refuseScope(approver.grant, scope, {
    platform: approver.platform,
    inPlatformTeam: place.isPlatform,
  })
  return refusal && refuse(refusal.code, refusal.detail)
}

export const planSession = (
  approver: Approver,
  requested: readonly string[] | undefined,
  place: ApprovalTarget,
): PlannedApproval | ApprovalRefusal => {
  const scopes = requested === undefined ? ownScopes(approver) : [...new Set(requested)]
  for (const scope of scopes ?? []) {
    const refusal = refuseOne(approver, scope, place)
    if (refusal) return refusal
  }
  // Platform rights are granted only when an approver who has them selects platform scopes explicitly.
  const elevated = approver.platform === 'powered' && (scopes ?? []).some(isAdminScope)
  return { scopes, elevated }
}

export const planDeviceKey = (
  approver: Approver,
  requested: readonly string[] | undefined,
  place: ApprovalTarget,
  now: Date,
): PlannedApproval | ApprovalRefusal => {
  const plan = planKey(
    { kind: 'sign-in', grant: approver.grant },
    { scopes: requested },
    { teamAdmin: place.role !== 'member', personalTeam: place.personal, inPlatformTeam: place.isPlatform },
    now,
  )
  return plan.ok ? { scopes: plan.key.scopes, elevated: false } : refuse(plan.code, plan.detail)
}
