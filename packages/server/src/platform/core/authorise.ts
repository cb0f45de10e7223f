// May this actor use this operation? The one place where scope, role and capability are checked, whichever door the
// call came through. Pure.
import { holds, refuseScope, type Scope } from '@millrace/contract/scopes'
import { type Actor, guest, hasRole, isMember, type Member } from './actor.ts'
import { fail } from './errors.ts'
import type { Capability, Operation } from './operation.ts'

/** The actor the operation runs as: usually the caller, or a guest where only public rows remain. Throws a refusal. */
export const authorise = (actor: Actor, operation: Operation): Actor => {
  const { scope } = operation
  if (scope === 'public') return guest
  if (scope === 'optional') return actor
  if (!isMember(actor)) {
    if (operation.publicRows) return guest
    throw fail('unauthorized', 'A valid API key or session token is required')
  }
  if (operation.browserOnly && actor.kind !== 'browser') throw fail('forbidden', 'Only a signed-in browser may do this')
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
    throw fail('team_role_required', `This needs the workspace role ${operation.role}`)
  if (operation.capability && !hasCapability(actor, operation.capability))
    throw fail('team_role_required', `This needs the workspace capability ${operation.capability}`)
  return actor
}

/** As whom a caller reads what this scope is for, wherever it is shown: without the scope as nobody, as at its own door. */
export const readerWith = (actor: Actor, scope: Scope): Actor =>
  isMember(actor) && holds(actor.grant, scope, actor) ? actor : guest

const hasCapability = (actor: Member, capability: Capability): boolean =>
  actor.isPerson && (capability === 'create_keys' || hasRole(actor, 'admin'))
