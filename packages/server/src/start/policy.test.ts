// Guarantees: every change of access changes a committed line; every operation declares a scope; no two operations have
// the same route; no workspace can take a name that a path needs.
import { readFile } from 'node:fs/promises'
import { allScopes } from '@millrace/contract/scopes'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { isReservedUsername, isSlug } from '#accounts/identity/accounts/usernames.ts'
import { createMetrics } from '#platform/http/metrics.ts'
import { declaredServiceRoutes, serviceRoutes } from '#platform/http/service-routes.ts'
import { createWorld } from '../testing/world.ts'
import { declaredRoutes, features, operations } from './app.ts'
import { policyText } from './policy-file.ts'

const repeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)

it('the policy table equals the committed one (after an intended change: npm run generate)', async () => {
  expect(await readFile(new URL('./policy.txt', import.meta.url), 'utf8')).toBe(policyText())
})

it('every operation declares its access', () => {
  const known = new Set<string>([...allScopes, 'public', 'optional', 'authenticated'])
  expect(operations.filter((operation) => !known.has(operation.scope)).map((operation) => operation.name)).toEqual([])
})

it('a declaration does not contradict itself', () => {
  const open = operations.filter(({ scope }) => scope === 'public' || scope === 'optional')
  expect(open.filter(({ role, capability, publicRows }) => role || capability || publicRows)).toEqual([])
  const hidden = operations.filter(({ publicRows, scope }) => publicRows && !scope.includes(':'))
  expect(hidden).toEqual([])
})

it('no field name occurs in two parts of an operation’s input', () => {
  const fields = (schema: unknown): string[] => Object.keys((schema as { properties?: object })?.properties ?? {})
  const clashes = operations.filter(
    ({ path, query, body, bytes }) => !bytes && repeated([path, query, body].flatMap(fields)).length > 0,
  )
  expect(clashes.map(({ name }) => name)).toEqual([])
})

it('names and routes are unique, independent of parameter names', () => {
  const raw = [...declaredServiceRoutes, ...declaredRoutes]
  expect(repeated([...operations, ...raw].map(({ name }) => name))).toEqual([])
  const all = [...operations.flatMap((operation) => operation.routes), ...raw.map(({ route }) => route)]
  expect(repeated(all.map((route) => route.replace(/:\w+/g, ':')))).toEqual([])
})

/** All mounted routes except those of operations. */
const mountedRoutes = async (): Promise<string[]> => {
  const world = await createWorld()
  const { platform } = world.open
  const app = Fastify()
  const mounted: string[] = []
  app.addHook('onRoute', ({ method, url, ...route }) => {
    const isSocket = 'websocket' in route && route.websocket === true
    // HEAD and OPTIONS are added automatically.
    for (const one of [method].flat())
      if (one !== 'HEAD' && one !== 'OPTIONS') mounted.push(`${isSocket ? 'WS' : one} ${url}`)
  })
  const readiness = { stopping: false }
  await serviceRoutes(platform, { metrics: createMetrics(), readiness, version: '0' })(app)
  const gate = {
    authenticate: () => Promise.reject(new Error('unused')),
    watch: () => () => {},
    limit: async () => ({}),
    turn: () => Promise.reject(new Error('unused')),
    workspaceTurn: () => Promise.reject(new Error('unused')),
    charge: () => 0,
    callsWaiting: () => 0,
    once: () => Promise.reject(new Error('unused')),
    requireRoom: () => Promise.reject(new Error('unused')),
  }
  for (const feature of features) await feature.routes?.(platform, gate)(app)
  await app.ready()
  await app.close()
  await world.close()
  return mounted
}

it('declared and mounted routes are equal', async () => {
  const declared = [...declaredServiceRoutes, ...declaredRoutes].map(({ route }) => route)
  expect((await mountedRoutes()).sort()).toEqual(declared.sort())
})

it('the first segment of every path is reserved as a username', () => {
  const operationRoutes = operations.flatMap((operation) => operation.routes)
  const otherRoutes = [...declaredServiceRoutes, ...declaredRoutes].map(({ route }) => route)
  const words = new Set([...operationRoutes, ...otherRoutes].map((route) => route.split('/')[1] ?? ''))
  expect(words.size).toBeGreaterThan(5)
  expect([...words].filter((word) => isSlug(word) && !isReservedUsername(word))).toEqual([])
})
