// Decides whether an actor may use an operation, for every entry point: scope, role and capability. Pure.
import { holds, refuseScope } from '@millrace/contract/scopes'
import { type Actor, guest, hasRole, isMember, type Member } from './actor.ts'
import { fail } from './errors.ts'
import type { Capability, Operation } from './operation.ts'

/**
 * The actor that the operation runs as: the caller, or a guest where only public rows remain visible. Throws a refusal.
 */
export const authorise = (actor: Actor, operation: Operation): Actor => {
  const { scope } = operation
  if (scope === 'public') return guest
  if (scope === 'optional') return actor
  if (!isMember(actor)) {
    if (operation.publicRows) return guest
    throw fail('unauthorized', 'A valid API key or session token is required')
  }
  if (operation.browserOnly && actor.kind !== 'browser')
    throw fail('forbidden', 'This operation requires a browser session')
  const otherwise = operation.orScope !== undefined && holds(actor.grant, operation.orScope, actor)
  if (scope !== 'authenticated' && !otherwise) {
    const refusal = refuseScope(actor.grant, scope, actor)
    if (refusal && operation.publicRows) return guest
    if (refusal) throw fail(refusal.code, refusal.detail)
  }
  const further = operation.andScope && refuseScope(actor.grant, operation.andScope, actor)
  if (further) throw fail(further.code, further.detail)
  // Platform administrators bypass the role check.
  if (actor.platform === 'powered') return actor
  if (operation.role && !hasRole(actor, operation.role))
    throw fail('team_role_required', `This operation requires the workspace role ${operation.role}`)
  if (operation.capability && !hasCapability(actor, operation.capability))
    throw fail('team_role_required', `This operation requires the workspace capability ${operation.capability}`)
  return actor
}

const hasCapability = (actor: Member, capability: Capability): boolean =>
  actor.isPerson && (capability === 'create_keys' || hasRole(actor, 'admin'))
