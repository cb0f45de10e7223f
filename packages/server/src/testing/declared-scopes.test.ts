// Guarantees: a service that checks a scope of its caller fails the tests unless its operation declares the scope.
import Type from 'typebox'
import { expect, it } from 'vitest'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { operation } from '#platform/core/operation.ts'
import { hasScope } from '#platform/core/scope-checks.ts'
import { takeUndeclaredScopes, watchDeclaredScopes } from './declared-scopes.ts'

const member = { teamId: 'team', grant: { kind: 'everything' }, platform: 'not_staff' } as Member

const reading = (checkedScopes: ['files:read'] | undefined) =>
  operation({
    name: 'things.get',
    route: 'GET /things',
    summary: 'A thing',
    scope: 'apps:read',
    ...(checkedScopes && { checkedScopes }),
    reply: Type.Object({}),
    run: async ({ actor }) => {
      hasScope(actor, 'apps:read')
      hasScope(actor, 'files:read')
      // The actor of something that the call starts.
      hasScope({ ...member }, 'billing:read')
      return {}
    },
  })

const call = async (watched: ReturnType<typeof reading>): Promise<string[]> => {
  watchDeclaredScopes([watched])
  await watched.run({ actor: member } as Ctx<Member>, { path: {}, query: {}, body: {} }, {} as never)
  return takeUndeclaredScopes()
}

it('reports a scope that only the service names', async () => {
  expect(await call(reading(undefined))).toEqual(['things.get checks the scope files:read, which it does not declare'])
})

it('accepts the scopes of the declaration, and ignores checks of other actors', async () => {
  expect(await call(reading(['files:read']))).toEqual([])
})
