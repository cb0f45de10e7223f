// Compares the scopes that services check with the declarations of the operations. Every world watches its calls, so an
// undeclared check fails the test file that reaches it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Actor } from '#platform/core/actor.ts'
import type { Operation } from '#platform/core/operation.ts'
import { type ScopeCheck, scopeChecked } from '#platform/core/scope-checks.ts'

type Call = { readonly operation: Operation; readonly actor: Actor }

export const declaredScopes = ({ scope, orScope, andScope, checkedScopes = [] }: Operation): readonly string[] => [
  scope,
  ...(orScope ? [orScope] : []),
  ...(andScope ? [andScope] : []),
  ...checkedScopes,
]

const calls = new AsyncLocalStorage<Call>()
const undeclared = new Set<string>()
const watched = new WeakSet<Operation>()

/** Only checks on the caller count: what a call starts is checked as its own actor. */
scopeChecked.subscribe((message) => {
  const { actor, scope } = message as ScopeCheck
  const call = calls.getStore()
  if (!call || call.actor !== actor || declaredScopes(call.operation).includes(scope)) return
  undeclared.add(`${call.operation.name} checks the scope ${scope}, which it does not declare`)
})

/** The checks since the last call of this function that no declaration names. */
export const takeUndeclaredScopes = (): string[] => {
  const found = [...undeclared].sort()
  undeclared.clear()
  return found
}

/** Runs the functions of the operations so that checks inside them are attributed to their call. */
export const watchDeclaredScopes = (operations: readonly Operation[]): void => {
  for (const operation of operations) {
    if (watched.has(operation)) continue
    watched.add(operation)
    const { run, follow } = operation
    Object.assign(operation, {
      run: ((ctx, input, wire) =>
        calls.run({ operation, actor: ctx.actor }, () => run(ctx, input, wire))) satisfies Operation['run'],
      ...(follow && {
        follow: ((ctx, result, input) =>
          calls.run({ operation, actor: ctx.actor }, () => follow(ctx, result, input))) satisfies Operation['follow'],
      }),
    })
  }
}
