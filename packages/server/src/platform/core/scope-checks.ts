// Scope checks inside services, for parts of a call: a field that needs another scope, a resource of another kind. The
// operations that make such a check declare its scope in `checkedScopes`; tests compare both through the channel.
import { channel } from 'node:diagnostics_channel'
import { holds, refuseScope, type Scope } from '@millrace/contract/scopes'
import { type Actor, guest, isMember, type Member } from './actor.ts'
import { fail } from './errors.ts'

export type ScopeCheck = { readonly actor: Member; readonly scope: Scope }

/** Publishes every check. Only tests subscribe. */
export const scopeChecked = channel('millrace.scope-checked')

const publish = (actor: Member, scope: Scope): void => {
  if (scopeChecked.hasSubscribers) scopeChecked.publish({ actor, scope } satisfies ScopeCheck)
}

export const hasScope = (actor: Actor, scope: Scope): boolean => {
  if (!isMember(actor)) return false
  publish(actor, scope)
  return holds(actor.grant, scope, actor)
}

/** The reason why the actor may not do what needs the scope; null if it may. */
export const scopeRefusal = (actor: Member, scope: Scope) => {
  publish(actor, scope)
  return refuseScope(actor.grant, scope, actor)
}

/** Fails unless the actor has the scope. */
export const requireScope = (actor: Member, scope: Scope): void => {
  const refusal = scopeRefusal(actor, scope)
  if (refusal) throw fail(refusal.code, refusal.detail)
}

/** The actor for reading data of another scope inside an operation: the caller, or a guest if the scope is missing. */
export const readerWith = (actor: Actor, scope: Scope): Actor => (hasScope(actor, scope) ? actor : guest)
