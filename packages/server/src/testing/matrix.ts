// The access matrix: every operation against nine kinds of caller. Expectations are computed here from the written
// rules, independently of the server. Requests to the real server end right behind the access check, so they have no
// effects.
import { newId } from '@millrace/contract/ids'
import type { FastifyInstance } from 'fastify'
import { mintKey } from '#accounts/access/mint-key.ts'
import { startAccess } from '#accounts/access/service.ts'
import { createSession } from '#accounts/identity/service.ts'
import { type Operation, splitRoute } from '#platform/core/operation.ts'
import { createBlocks } from '#platform/http/block-requests.ts'
import { ownOrigins } from '#platform/http/cors.ts'
import { createMetrics } from '#platform/http/metrics.ts'
import { createHttpServer } from '#platform/http/server.ts'
import { problemCode } from './problem-code.ts'
import type { World } from './world.ts'

export const callers = [
  'anonymous',
  'key without the scope',
  'key with the scope',
  'member',
  'admin',
  'other team',
  'expired key',
  'revoked key',
  'sign-in-only scopes on a key',
] as const
export type Caller = (typeof callers)[number]

/** `through`, `as guest` (public rows only), or the code of the rejection. */
export type Verdict = string

// Copied from [access 2], independent of the server's catalog.
const signInOnly = [
  ...['approvals:write', 'user:read', 'user:write', 'apikeys:read', 'apikeys:write', 'billing:write'],
  ...['admin:read', 'admin:write'],
]
const storeOnly = ['store:pricing', 'store:submit']

const isBrowser = (caller: Caller): boolean => caller === 'member' || caller === 'admin'

/** Null if the caller has the scope. */
const scopeRefusal = (scope: string, caller: Caller): Verdict | null => {
  if (isBrowser(caller)) {
    if (scope.startsWith('admin:')) return 'forbidden'
    if (scope === 'engines:write' && caller === 'member') return 'insufficient_scope'
    return storeOnly.includes(scope) ? 'insufficient_scope' : null
  }
  if (signInOnly.includes(scope)) return 'requires_sign_in'
  return caller === 'key with the scope' && !storeOnly.includes(scope) ? null : 'insufficient_scope'
}

/** Keys here belong to the workspace owner. */
const roleOf = (caller: Caller): number => ({ member: 0, admin: 1 })[caller as string] ?? 2

export const expectedVerdict = (operation: Operation, caller: Caller): Verdict => {
  const { scope } = operation
  if (scope === 'public') return 'as guest'
  if (caller === 'anonymous') return scope === 'optional' || operation.publicRows ? 'as guest' : 'unauthorized'
  if (caller === 'expired key' || caller === 'revoked key') return 'unauthorized'
  if (caller === 'other team') return 'forbidden'
  if (scope === 'optional') return 'through'
  if (operation.browserOnly && !isBrowser(caller)) return 'forbidden'
  const refusal = scope.includes(':') ? scopeRefusal(scope, caller) : null
  if (refusal !== null) return operation.publicRows ? 'as guest' : refusal
  const needed =
    operation.role === 'owner' ? 2 : operation.role === 'admin' || operation.capability === 'manage_keys' ? 1 : 0
  return roleOf(caller) >= needed ? 'through' : 'team_role_required'
}

/** A server with these operations whose requests are answered right after the access check. */
const openGateOnly = async (world: World, operations: readonly Operation[]): Promise<FastifyInstance> => {
  const { platform } = world.open
  const app = await createHttpServer({
    platform,
    gate: startAccess(platform, ownOrigins(platform.settings)).gate,
    blocks: await createBlocks(platform),
    metrics: createMetrics(),
    operations,
    routes: [],
  })
  app.addHook('preParsing', async (request, reply) => {
    if (request.ctx) return reply.code(299).send(request.ctx.actor.kind === 'guest' ? 'as guest' : 'through')
  })
  await app.ready()
  return app
}

/** Headers of every credential of this kind of caller: an operation with two scopes accepts either. */
type Credentials = (operation: Operation, caller: Caller) => Promise<Record<string, string>[]>

const bearer = (token: string | null): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

const prepareCredentials = async (world: World): Promise<Credentials> => {
  const { people, team } = world
  const cookieOf = async (name: 'member' | 'admin') => {
    const { secret } = await createSession(world.ctx(), {
      userId: people[name].userId,
      kind: 'browser',
      authMethod: 'magic-link',
    })
    const origin = world.open.platform.settings.APP_URL
    return { cookie: `session=${secret}`, origin, 'x-team-id': team.id }
  }
  const expired = await mintKey(world.ctx(), {
    teamId: team.id,
    userId: people.owner.userId,
    createdBy: people.owner.userId,
    name: 'expired',
    scope: 'user',
    scopes: [],
    holdsEngineScopes: true,
    source: '',
    expiresAt: new Date(world.clock.now().getTime() - 1),
  })
  const revoked = (await world.call('owner', 'POST /apikeys', { body: { name: 'to be revoked' } })).data
  await world.call({ token: revoked.key }, 'GET /scopes')
  await world.call('owner', `DELETE /apikeys/${revoked.id}`)
  const fixed: Partial<Record<Caller, Record<string, string>>> = {
    anonymous: {},
    member: await cookieOf('member'),
    admin: await cookieOf('admin'),
    'other team': { ...bearer(people.stranger.token), 'x-team-id': team.id },
    'expired key': bearer(expired.text),
    'revoked key': bearer(revoked.key),
    'sign-in-only scopes on a key': bearer(await world.token(`key:${signInOnly.join(',')}`)),
  }
  return async ({ scope, orScope, andScope }, caller) => {
    const always = fixed[caller]
    if (always) return [always]
    const other = scope.startsWith('projects:') ? 'datastores:read' : 'projects:read'
    const requested =
      caller === 'key with the scope' && scope.includes(':') ? [scope, ...(orScope ? [orScope] : [])] : [other]
    const additionalScope = andScope ? `,${andScope}` : ''
    return Promise.all(requested.map(async (held) => bearer(await world.token(`key:${held}${additionalScope}`))))
  }
}

export type Mismatch = { operation: string; caller: Caller; expected: Verdict; actual: Verdict }
export type Matrix = { operations: number; cells: number; surprises: Mismatch[] }

/** `served`: the operations of the server; `declared`: the source of the expectations. */
export const runMatrix = async (
  world: World,
  served: readonly Operation[],
  declared: readonly Operation[] = served,
): Promise<Matrix> => {
  const app = await openGateOnly(world, served)
  const credentials = await prepareCredentials(world)
  const mismatches: Mismatch[] = []
  for (const operation of declared)
    for (const caller of callers) {
      const expected = expectedVerdict(operation, caller)
      // All routes of an operation must agree.
      const actual = new Set<Verdict>()
      for (const headers of await credentials(operation, caller))
        for (const route of operation.routes) actual.add(await send(app, route, headers))
      if (actual.size !== 1 || !actual.has(expected))
        mismatches.push({ operation: operation.name, caller, expected, actual: [...actual].join(' and ') })
    }
  await app.close()
  return { operations: declared.length, cells: declared.length * callers.length, surprises: mismatches }
}

const send = async (app: FastifyInstance, route: Operation['routes'][number], headers: Record<string, string>) => {
  const { method, path } = splitRoute(route)
  const url = path.replace(/:\w+/g, newId).replace('*', 'x')
  const answer = await app.inject({ method, url, headers })
  if (answer.statusCode === 299) return answer.body
  return problemCode(answer.json()) ?? String(answer.statusCode)
}
